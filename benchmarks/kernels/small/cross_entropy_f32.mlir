#map = affine_map<(d0, d1) -> (d0, d1)>
#map1 = affine_map<(d0, d1) -> (d0)>
#map2 = affine_map<(d0, d1) -> (d0, 0)>
#map3 = affine_map<(d0, d1) -> ()>
#map4 = affine_map<() -> ()>
module {
  func.func @main(%arg0: tensor<9x13xf32>, %arg1: tensor<9xi64>) -> tensor<f32> {
    %c0_i64 = arith.constant 0 : i64
    %cst = arith.constant 0xFF800000 : f32
    %cst_0 = arith.constant 0.000000e+00 : f32
    %cst_1 = arith.constant 9.000000e+00 : f32
    %0 = tensor.empty() : tensor<9xi64>
    %1 = linalg.fill ins(%c0_i64 : i64) outs(%0 : tensor<9xi64>) -> tensor<9xi64>
    %2 = tensor.empty() : tensor<9xf32>
    %3 = linalg.fill ins(%cst : f32) outs(%2 : tensor<9xf32>) -> tensor<9xf32>
    %4:2 = linalg.generic {indexing_maps = [#map, #map1, #map1], iterator_types = ["parallel", "reduction"]} ins(%arg0 : tensor<9x13xf32>) outs(%3, %1 : tensor<9xf32>, tensor<9xi64>) {
    ^bb0(%in: f32, %out: f32, %out_3: i64):
      %19 = linalg.index 1 : index
      %20 = arith.index_cast %19 : index to i64
      %21 = arith.maximumf %in, %out : f32
      %22 = arith.cmpf ogt, %in, %out : f32
      %23 = arith.select %22, %20, %out_3 : i64
      linalg.yield %21, %23 : f32, i64
    } -> (tensor<9xf32>, tensor<9xi64>)
    %expanded = tensor.expand_shape %4#0 [[0, 1]] output_shape [9, 1] : tensor<9xf32> into tensor<9x1xf32>
    %5 = tensor.empty() : tensor<9x13xf32>
    %6 = linalg.generic {indexing_maps = [#map, #map2, #map], iterator_types = ["parallel", "parallel"]} ins(%arg0, %expanded : tensor<9x13xf32>, tensor<9x1xf32>) outs(%5 : tensor<9x13xf32>) {
    ^bb0(%in: f32, %in_3: f32, %out: f32):
      %19 = arith.subf %in, %in_3 : f32
      linalg.yield %19 : f32
    } -> tensor<9x13xf32>
    %7 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel"]} ins(%6 : tensor<9x13xf32>) outs(%5 : tensor<9x13xf32>) {
    ^bb0(%in: f32, %out: f32):
      %19 = math.exp %in : f32
      linalg.yield %19 : f32
    } -> tensor<9x13xf32>
    %8 = tensor.empty() : tensor<9x1xf32>
    %9 = linalg.fill ins(%cst_0 : f32) outs(%8 : tensor<9x1xf32>) -> tensor<9x1xf32>
    %10 = linalg.generic {indexing_maps = [#map, #map2], iterator_types = ["parallel", "reduction"]} ins(%7 : tensor<9x13xf32>) outs(%9 : tensor<9x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %19 = arith.addf %in, %out : f32
      linalg.yield %19 : f32
    } -> tensor<9x1xf32>
    %11 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel"]} ins(%10 : tensor<9x1xf32>) outs(%8 : tensor<9x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %19 = math.log %in : f32
      linalg.yield %19 : f32
    } -> tensor<9x1xf32>
    %12 = linalg.generic {indexing_maps = [#map, #map2, #map], iterator_types = ["parallel", "parallel"]} ins(%6, %11 : tensor<9x13xf32>, tensor<9x1xf32>) outs(%5 : tensor<9x13xf32>) {
    ^bb0(%in: f32, %in_3: f32, %out: f32):
      %19 = arith.subf %in, %in_3 : f32
      linalg.yield %19 : f32
    } -> tensor<9x13xf32>
    %expanded_2 = tensor.expand_shape %arg1 [[0, 1]] output_shape [9, 1] : tensor<9xi64> into tensor<9x1xi64>
    %13 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel"]} ins(%expanded_2 : tensor<9x1xi64>) outs(%9 : tensor<9x1xf32>) {
    ^bb0(%in: i64, %out: f32):
      %19 = linalg.index 0 : index
      %20 = arith.index_cast %in : i64 to index
      %extracted = tensor.extract %12[%19, %20] : tensor<9x13xf32>
      linalg.yield %extracted : f32
    } -> tensor<9x1xf32>
    %14 = tensor.empty() : tensor<f32>
    %15 = linalg.fill ins(%cst_0 : f32) outs(%14 : tensor<f32>) -> tensor<f32>
    %16 = linalg.generic {indexing_maps = [#map, #map3], iterator_types = ["reduction", "reduction"]} ins(%13 : tensor<9x1xf32>) outs(%15 : tensor<f32>) {
    ^bb0(%in: f32, %out: f32):
      %19 = arith.addf %in, %out : f32
      linalg.yield %19 : f32
    } -> tensor<f32>
    %17 = linalg.generic {indexing_maps = [#map4, #map4], iterator_types = []} ins(%16 : tensor<f32>) outs(%14 : tensor<f32>) {
    ^bb0(%in: f32, %out: f32):
      %19 = arith.divf %in, %cst_1 : f32
      linalg.yield %19 : f32
    } -> tensor<f32>
    %18 = linalg.generic {indexing_maps = [#map4, #map4], iterator_types = []} ins(%17 : tensor<f32>) outs(%14 : tensor<f32>) {
    ^bb0(%in: f32, %out: f32):
      %19 = arith.negf %in : f32
      linalg.yield %19 : f32
    } -> tensor<f32>
    return %18 : tensor<f32>
  }
}
