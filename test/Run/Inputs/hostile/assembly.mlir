func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = llvm.inline_asm has_side_effects "int3", "=r" : () -> i32
  return %x : tensor<4xf32>
}
