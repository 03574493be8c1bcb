func.func @main(%x: tensor<4xf32> {llvm.dereferenceable = 65536 : i64}) -> tensor<4xf32> {
  return %x : tensor<4xf32>
}
