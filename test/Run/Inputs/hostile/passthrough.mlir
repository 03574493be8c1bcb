// An attribute that reaches LLVM's function.
func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> attributes {passthrough = ["naked"]} {
  return %x : tensor<4xf32>
}
