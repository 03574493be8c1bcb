// Maps that are not the operation's: it would read and write out of bounds.
#far = affine_map<(d0) -> (d0 * 65536)>
func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  %empty = tensor.empty() : tensor<4xf32>
  %y = linalg.exp {linalg.memoized_indexing_maps = [#far, #far]}
      ins(%x : tensor<4xf32>) outs(%empty : tensor<4xf32>) -> tensor<4xf32>
  return %y : tensor<4xf32>
}
