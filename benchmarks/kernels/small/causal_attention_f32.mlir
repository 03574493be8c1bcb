#map = affine_map<(d0) -> (d0)>
#map1 = affine_map<(d0, d1, d2) -> (d0, d1, d2)>
#map2 = affine_map<(d0, d1) -> (0, d1)>
#map3 = affine_map<(d0, d1) -> (d0, 0)>
#map4 = affine_map<(d0, d1) -> (d0, d1)>
#map5 = affine_map<(d0, d1, d2) -> (d1, d2)>
#map6 = affine_map<(d0, d1, d2) -> ()>
#map7 = affine_map<(d0, d1, d2) -> (d0, d1)>
#map8 = affine_map<(d0, d1, d2) -> (d0, d1, 0)>
module {
  func.func @main(%arg0: tensor<2x7x16xf32>, %arg1: tensor<2x7x16xf32>, %arg2: tensor<2x7x5xf32>) -> tensor<2x7x5xf32> {
    %c0_i64 = arith.constant 0 : i64
    %cst = arith.constant 0.000000e+00 : f32
    %cst_0 = arith.constant 0xFF800000 : f32
    %cst_1 = arith.constant dense<0xFF800000> : tensor<f32>
    %cst_2 = arith.constant 2.500000e-01 : f32
    %0 = tensor.empty() : tensor<7xi64>
    %1 = linalg.generic {indexing_maps = [#map], iterator_types = ["parallel"]} outs(%0 : tensor<7xi64>) {
    ^bb0(%out: i64):
      %24 = linalg.index 0 : index
      %25 = arith.index_cast %24 : index to i64
      linalg.yield %25 : i64
    } -> tensor<7xi64>
    %expanded = tensor.expand_shape %1 [[0, 1]] output_shape [7, 1] : tensor<7xi64> into tensor<7x1xi64>
    %expanded_3 = tensor.expand_shape %1 [[0, 1]] output_shape [1, 7] : tensor<7xi64> into tensor<1x7xi64>
    %2 = tensor.empty() : tensor<2x16x7xf32>
    %transposed = linalg.transpose ins(%arg1 : tensor<2x7x16xf32>) outs(%2 : tensor<2x16x7xf32>) permutation = [0, 2, 1] 
    %3 = tensor.empty() : tensor<2x7x7xf32>
    %4 = linalg.fill ins(%cst : f32) outs(%3 : tensor<2x7x7xf32>) -> tensor<2x7x7xf32>
    %5 = linalg.batch_matmul ins(%arg0, %transposed : tensor<2x7x16xf32>, tensor<2x16x7xf32>) outs(%4 : tensor<2x7x7xf32>) -> tensor<2x7x7xf32>
    %6 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%5 : tensor<2x7x7xf32>) outs(%3 : tensor<2x7x7xf32>) {
    ^bb0(%in: f32, %out: f32):
      %24 = arith.mulf %in, %cst_2 : f32
      linalg.yield %24 : f32
    } -> tensor<2x7x7xf32>
    %7 = tensor.empty() : tensor<7x7xi1>
    %8 = linalg.generic {indexing_maps = [#map2, #map3, #map4], iterator_types = ["parallel", "parallel"]} ins(%expanded_3, %expanded : tensor<1x7xi64>, tensor<7x1xi64>) outs(%7 : tensor<7x7xi1>) {
    ^bb0(%in: i64, %in_5: i64, %out: i1):
      %24 = arith.cmpi sgt, %in, %in_5 : i64
      linalg.yield %24 : i1
    } -> tensor<7x7xi1>
    %9 = linalg.generic {indexing_maps = [#map5, #map6, #map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%8, %cst_1, %6 : tensor<7x7xi1>, tensor<f32>, tensor<2x7x7xf32>) outs(%3 : tensor<2x7x7xf32>) {
    ^bb0(%in: i1, %in_5: f32, %in_6: f32, %out: f32):
      %24 = arith.select %in, %in_5, %in_6 : f32
      linalg.yield %24 : f32
    } -> tensor<2x7x7xf32>
    %10 = tensor.empty() : tensor<2x7xi64>
    %11 = linalg.fill ins(%c0_i64 : i64) outs(%10 : tensor<2x7xi64>) -> tensor<2x7xi64>
    %12 = tensor.empty() : tensor<2x7xf32>
    %13 = linalg.fill ins(%cst_0 : f32) outs(%12 : tensor<2x7xf32>) -> tensor<2x7xf32>
    %14:2 = linalg.generic {indexing_maps = [#map1, #map7, #map7], iterator_types = ["parallel", "parallel", "reduction"]} ins(%9 : tensor<2x7x7xf32>) outs(%13, %11 : tensor<2x7xf32>, tensor<2x7xi64>) {
    ^bb0(%in: f32, %out: f32, %out_5: i64):
      %24 = linalg.index 2 : index
      %25 = arith.index_cast %24 : index to i64
      %26 = arith.maximumf %in, %out : f32
      %27 = arith.cmpf ogt, %in, %out : f32
      %28 = arith.select %27, %25, %out_5 : i64
      linalg.yield %26, %28 : f32, i64
    } -> (tensor<2x7xf32>, tensor<2x7xi64>)
    %expanded_4 = tensor.expand_shape %14#0 [[0], [1, 2]] output_shape [2, 7, 1] : tensor<2x7xf32> into tensor<2x7x1xf32>
    %15 = linalg.generic {indexing_maps = [#map1, #map8, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%9, %expanded_4 : tensor<2x7x7xf32>, tensor<2x7x1xf32>) outs(%3 : tensor<2x7x7xf32>) {
    ^bb0(%in: f32, %in_5: f32, %out: f32):
      %24 = arith.subf %in, %in_5 : f32
      linalg.yield %24 : f32
    } -> tensor<2x7x7xf32>
    %16 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%15 : tensor<2x7x7xf32>) outs(%3 : tensor<2x7x7xf32>) {
    ^bb0(%in: f32, %out: f32):
      %24 = math.exp %in : f32
      linalg.yield %24 : f32
    } -> tensor<2x7x7xf32>
    %17 = tensor.empty() : tensor<2x7x1xf32>
    %18 = linalg.fill ins(%cst : f32) outs(%17 : tensor<2x7x1xf32>) -> tensor<2x7x1xf32>
    %19 = linalg.generic {indexing_maps = [#map1, #map8], iterator_types = ["parallel", "parallel", "reduction"]} ins(%16 : tensor<2x7x7xf32>) outs(%18 : tensor<2x7x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %24 = arith.addf %in, %out : f32
      linalg.yield %24 : f32
    } -> tensor<2x7x1xf32>
    %20 = linalg.generic {indexing_maps = [#map1, #map8, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%16, %19 : tensor<2x7x7xf32>, tensor<2x7x1xf32>) outs(%3 : tensor<2x7x7xf32>) {
    ^bb0(%in: f32, %in_5: f32, %out: f32):
      %24 = arith.divf %in, %in_5 : f32
      linalg.yield %24 : f32
    } -> tensor<2x7x7xf32>
    %21 = tensor.empty() : tensor<2x7x5xf32>
    %22 = linalg.fill ins(%cst : f32) outs(%21 : tensor<2x7x5xf32>) -> tensor<2x7x5xf32>
    %23 = linalg.batch_matmul ins(%20, %arg2 : tensor<2x7x7xf32>, tensor<2x7x5xf32>) outs(%22 : tensor<2x7x5xf32>) -> tensor<2x7x5xf32>
    return %23 : tensor<2x7x5xf32>
  }
}
