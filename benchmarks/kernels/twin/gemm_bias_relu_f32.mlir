#map = affine_map<(d0, d1) -> (d0, d1)>
#map1 = affine_map<(d0, d1) -> (d1)>
module {
  func.func @main(%arg0: tensor<4093x4093xf32>, %arg1: tensor<4093xf32>, %arg2: tensor<509x4093xf32>) -> tensor<509x4093xf32> {
    %cst = arith.constant 0.000000e+00 : f32
    %0 = tensor.empty() : tensor<4093x4093xf32>
    %transposed = linalg.transpose ins(%arg0 : tensor<4093x4093xf32>) outs(%0 : tensor<4093x4093xf32>) permutation = [1, 0] 
    %1 = tensor.empty() : tensor<509x4093xf32>
    %2 = linalg.fill ins(%cst : f32) outs(%1 : tensor<509x4093xf32>) -> tensor<509x4093xf32>
    %3 = linalg.matmul ins(%arg2, %transposed : tensor<509x4093xf32>, tensor<4093x4093xf32>) outs(%2 : tensor<509x4093xf32>) -> tensor<509x4093xf32>
    %4 = linalg.generic {indexing_maps = [#map, #map1, #map], iterator_types = ["parallel", "parallel"]} ins(%3, %arg1 : tensor<509x4093xf32>, tensor<4093xf32>) outs(%1 : tensor<509x4093xf32>) {
    ^bb0(%in: f32, %in_0: f32, %out: f32):
      %6 = arith.addf %in, %in_0 : f32
      linalg.yield %6 : f32
    } -> tensor<509x4093xf32>
    %5 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel"]} ins(%4 : tensor<509x4093xf32>) outs(%1 : tensor<509x4093xf32>) {
    ^bb0(%in: f32, %out: f32):
      %6 = arith.cmpf ugt, %in, %cst : f32
      %7 = arith.select %6, %in, %cst : f32
      linalg.yield %7 : f32
    } -> tensor<509x4093xf32>
    return %5 : tensor<509x4093xf32>
  }
}
