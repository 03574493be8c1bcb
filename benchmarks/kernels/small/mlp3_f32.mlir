#map = affine_map<(d0, d1) -> (d1)>
#map1 = affine_map<(d0, d1) -> (d0, d1)>
module {
  func.func @main(%arg0: tensor<13x17xf32>, %arg1: tensor<13xf32>, %arg2: tensor<11x13xf32>, %arg3: tensor<11xf32>, %arg4: tensor<5x11xf32>, %arg5: tensor<5xf32>, %arg6: tensor<3x17xf32>) -> tensor<3x5xf32> {
    %cst = arith.constant 0.000000e+00 : f32
    %0 = tensor.empty() : tensor<17x13xf32>
    %transposed = linalg.transpose ins(%arg0 : tensor<13x17xf32>) outs(%0 : tensor<17x13xf32>) permutation = [1, 0] 
    %1 = tensor.empty() : tensor<3x13xf32>
    %2 = linalg.fill ins(%cst : f32) outs(%1 : tensor<3x13xf32>) -> tensor<3x13xf32>
    %3 = linalg.matmul ins(%arg6, %transposed : tensor<3x17xf32>, tensor<17x13xf32>) outs(%2 : tensor<3x13xf32>) -> tensor<3x13xf32>
    %4 = linalg.generic {indexing_maps = [#map, #map1], iterator_types = ["parallel", "parallel"]} ins(%arg1 : tensor<13xf32>) outs(%1 : tensor<3x13xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<3x13xf32>
    %5 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%3, %4 : tensor<3x13xf32>, tensor<3x13xf32>) outs(%1 : tensor<3x13xf32>) {
    ^bb0(%in: f32, %in_2: f32, %out: f32):
      %21 = arith.addf %in, %in_2 : f32
      linalg.yield %21 : f32
    } -> tensor<3x13xf32>
    %6 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%5 : tensor<3x13xf32>) outs(%1 : tensor<3x13xf32>) {
    ^bb0(%in: f32, %out: f32):
      %21 = arith.cmpf ugt, %in, %cst : f32
      %22 = arith.select %21, %in, %cst : f32
      linalg.yield %22 : f32
    } -> tensor<3x13xf32>
    %7 = tensor.empty() : tensor<13x11xf32>
    %transposed_0 = linalg.transpose ins(%arg2 : tensor<11x13xf32>) outs(%7 : tensor<13x11xf32>) permutation = [1, 0] 
    %8 = tensor.empty() : tensor<3x11xf32>
    %9 = linalg.fill ins(%cst : f32) outs(%8 : tensor<3x11xf32>) -> tensor<3x11xf32>
    %10 = linalg.matmul ins(%6, %transposed_0 : tensor<3x13xf32>, tensor<13x11xf32>) outs(%9 : tensor<3x11xf32>) -> tensor<3x11xf32>
    %11 = linalg.generic {indexing_maps = [#map, #map1], iterator_types = ["parallel", "parallel"]} ins(%arg3 : tensor<11xf32>) outs(%8 : tensor<3x11xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<3x11xf32>
    %12 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%10, %11 : tensor<3x11xf32>, tensor<3x11xf32>) outs(%8 : tensor<3x11xf32>) {
    ^bb0(%in: f32, %in_2: f32, %out: f32):
      %21 = arith.addf %in, %in_2 : f32
      linalg.yield %21 : f32
    } -> tensor<3x11xf32>
    %13 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%12 : tensor<3x11xf32>) outs(%8 : tensor<3x11xf32>) {
    ^bb0(%in: f32, %out: f32):
      %21 = arith.cmpf ugt, %in, %cst : f32
      %22 = arith.select %21, %in, %cst : f32
      linalg.yield %22 : f32
    } -> tensor<3x11xf32>
    %14 = tensor.empty() : tensor<11x5xf32>
    %transposed_1 = linalg.transpose ins(%arg4 : tensor<5x11xf32>) outs(%14 : tensor<11x5xf32>) permutation = [1, 0] 
    %15 = tensor.empty() : tensor<3x5xf32>
    %16 = linalg.fill ins(%cst : f32) outs(%15 : tensor<3x5xf32>) -> tensor<3x5xf32>
    %17 = linalg.matmul ins(%13, %transposed_1 : tensor<3x11xf32>, tensor<11x5xf32>) outs(%16 : tensor<3x5xf32>) -> tensor<3x5xf32>
    %18 = linalg.generic {indexing_maps = [#map, #map1], iterator_types = ["parallel", "parallel"]} ins(%arg5 : tensor<5xf32>) outs(%15 : tensor<3x5xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<3x5xf32>
    %19 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%17, %18 : tensor<3x5xf32>, tensor<3x5xf32>) outs(%15 : tensor<3x5xf32>) {
    ^bb0(%in: f32, %in_2: f32, %out: f32):
      %21 = arith.addf %in, %in_2 : f32
      linalg.yield %21 : f32
    } -> tensor<3x5xf32>
    %20 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%19 : tensor<3x5xf32>) outs(%15 : tensor<3x5xf32>) {
    ^bb0(%in: f32, %out: f32):
      %21 = arith.cmpf ugt, %in, %cst : f32
      %22 = arith.select %21, %in, %cst : f32
      linalg.yield %22 : f32
    } -> tensor<3x5xf32>
    return %20 : tensor<3x5xf32>
  }
}
