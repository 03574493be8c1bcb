func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> attributes {llvm.emit_c_interface} {
  return %x : tensor<4xf32>
}
