func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  %u = "tensor.unpick"(%x) : (tensor<4xf32>) -> tensor<4xf32>
  return %u : tensor<4xf32>
}
