#map = affine_map<(d0, d1) -> (d0, d1)>
func.func @main(%x: tensor<5x37xf32>) -> tensor<5x37xf32> {
  %one = arith.constant 1.0 : f32
  %half = arith.constant 0.5 : f32
  %root = arith.constant 1.41421354 : f32
  %empty = tensor.empty() : tensor<5x37xf32>
  %y = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel"]}
      ins(%x : tensor<5x37xf32>) outs(%empty : tensor<5x37xf32>) {
  ^bb0(%in: f32, %out: f32):
    %0 = arith.divf %in, %root : f32
    %1 = math.erf %0 : f32
    %2 = arith.addf %1, %one : f32
    %3 = arith.mulf %2, %half : f32
    %4 = arith.mulf %in, %3 : f32
    linalg.yield %4 : f32
  } -> tensor<5x37xf32>
  return %y : tensor<5x37xf32>
}
