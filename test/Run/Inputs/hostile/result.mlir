func.func @main(%x: tensor<4xf32>) -> (tensor<4xf32> {egg.result_class = "elementwise"}) {
  return %x : tensor<4xf32>
}
