#map = affine_map<(d0, d1) -> (d1)>
#map1 = affine_map<(d0, d1) -> (d0, d1)>
module {
  func.func @main(%arg0: tensor<20x7xf32>, %arg1: tensor<20xf32>, %arg2: tensor<20x5xf32>, %arg3: tensor<20xf32>, %arg4: tensor<3x7xf32>, %arg5: tensor<3x5xf32>, %arg6: tensor<3x5xf32>) -> (tensor<3x5xf32>, tensor<3x5xf32>) {
    %cst = arith.constant 0.000000e+00 : f32
    %cst_0 = arith.constant 1.000000e+00 : f32
    %0 = tensor.empty() : tensor<7x20xf32>
    %transposed = linalg.transpose ins(%arg0 : tensor<20x7xf32>) outs(%0 : tensor<7x20xf32>) permutation = [1, 0] 
    %1 = tensor.empty() : tensor<3x20xf32>
    %2 = linalg.fill ins(%cst : f32) outs(%1 : tensor<3x20xf32>) -> tensor<3x20xf32>
    %3 = linalg.matmul ins(%arg4, %transposed : tensor<3x7xf32>, tensor<7x20xf32>) outs(%2 : tensor<3x20xf32>) -> tensor<3x20xf32>
    %4 = linalg.generic {indexing_maps = [#map, #map1], iterator_types = ["parallel", "parallel"]} ins(%arg1 : tensor<20xf32>) outs(%1 : tensor<3x20xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<3x20xf32>
    %5 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%3, %4 : tensor<3x20xf32>, tensor<3x20xf32>) outs(%1 : tensor<3x20xf32>) {
    ^bb0(%in: f32, %in_5: f32, %out: f32):
      %21 = arith.addf %in, %in_5 : f32
      linalg.yield %21 : f32
    } -> tensor<3x20xf32>
    %6 = tensor.empty() : tensor<5x20xf32>
    %transposed_1 = linalg.transpose ins(%arg2 : tensor<20x5xf32>) outs(%6 : tensor<5x20xf32>) permutation = [1, 0] 
    %7 = linalg.matmul ins(%arg5, %transposed_1 : tensor<3x5xf32>, tensor<5x20xf32>) outs(%2 : tensor<3x20xf32>) -> tensor<3x20xf32>
    %8 = linalg.generic {indexing_maps = [#map, #map1], iterator_types = ["parallel", "parallel"]} ins(%arg3 : tensor<20xf32>) outs(%1 : tensor<3x20xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<3x20xf32>
    %9 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%7, %8 : tensor<3x20xf32>, tensor<3x20xf32>) outs(%1 : tensor<3x20xf32>) {
    ^bb0(%in: f32, %in_5: f32, %out: f32):
      %21 = arith.addf %in, %in_5 : f32
      linalg.yield %21 : f32
    } -> tensor<3x20xf32>
    %10 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%5, %9 : tensor<3x20xf32>, tensor<3x20xf32>) outs(%1 : tensor<3x20xf32>) {
    ^bb0(%in: f32, %in_5: f32, %out: f32):
      %21 = arith.addf %in, %in_5 : f32
      linalg.yield %21 : f32
    } -> tensor<3x20xf32>
    %extracted_slice = tensor.extract_slice %10[0, 0] [3, 5] [1, 1] : tensor<3x20xf32> to tensor<3x5xf32>
    %extracted_slice_2 = tensor.extract_slice %10[0, 5] [3, 5] [1, 1] : tensor<3x20xf32> to tensor<3x5xf32>
    %extracted_slice_3 = tensor.extract_slice %10[0, 10] [3, 5] [1, 1] : tensor<3x20xf32> to tensor<3x5xf32>
    %extracted_slice_4 = tensor.extract_slice %10[0, 15] [3, 5] [1, 1] : tensor<3x20xf32> to tensor<3x5xf32>
    %11 = tensor.empty() : tensor<3x5xf32>
    %12 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%extracted_slice_2 : tensor<3x5xf32>) outs(%11 : tensor<3x5xf32>) {
    ^bb0(%in: f32, %out: f32):
      %21 = arith.negf %in : f32
      %22 = math.exp %21 : f32
      %23 = arith.addf %22, %cst_0 : f32
      %24 = arith.divf %cst_0, %23 : f32
      linalg.yield %24 : f32
    } -> tensor<3x5xf32>
    %13 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%12, %arg6 : tensor<3x5xf32>, tensor<3x5xf32>) outs(%11 : tensor<3x5xf32>) {
    ^bb0(%in: f32, %in_5: f32, %out: f32):
      %21 = arith.mulf %in, %in_5 : f32
      linalg.yield %21 : f32
    } -> tensor<3x5xf32>
    %14 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%extracted_slice : tensor<3x5xf32>) outs(%11 : tensor<3x5xf32>) {
    ^bb0(%in: f32, %out: f32):
      %21 = arith.negf %in : f32
      %22 = math.exp %21 : f32
      %23 = arith.addf %22, %cst_0 : f32
      %24 = arith.divf %cst_0, %23 : f32
      linalg.yield %24 : f32
    } -> tensor<3x5xf32>
    %15 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%extracted_slice_3 : tensor<3x5xf32>) outs(%11 : tensor<3x5xf32>) {
    ^bb0(%in: f32, %out: f32):
      %21 = math.tanh %in : f32
      linalg.yield %21 : f32
    } -> tensor<3x5xf32>
    %16 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%14, %15 : tensor<3x5xf32>, tensor<3x5xf32>) outs(%11 : tensor<3x5xf32>) {
    ^bb0(%in: f32, %in_5: f32, %out: f32):
      %21 = arith.mulf %in, %in_5 : f32
      linalg.yield %21 : f32
    } -> tensor<3x5xf32>
    %17 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%13, %16 : tensor<3x5xf32>, tensor<3x5xf32>) outs(%11 : tensor<3x5xf32>) {
    ^bb0(%in: f32, %in_5: f32, %out: f32):
      %21 = arith.addf %in, %in_5 : f32
      linalg.yield %21 : f32
    } -> tensor<3x5xf32>
    %18 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%extracted_slice_4 : tensor<3x5xf32>) outs(%11 : tensor<3x5xf32>) {
    ^bb0(%in: f32, %out: f32):
      %21 = arith.negf %in : f32
      %22 = math.exp %21 : f32
      %23 = arith.addf %22, %cst_0 : f32
      %24 = arith.divf %cst_0, %23 : f32
      linalg.yield %24 : f32
    } -> tensor<3x5xf32>
    %19 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%17 : tensor<3x5xf32>) outs(%11 : tensor<3x5xf32>) {
    ^bb0(%in: f32, %out: f32):
      %21 = math.tanh %in : f32
      linalg.yield %21 : f32
    } -> tensor<3x5xf32>
    %20 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%18, %19 : tensor<3x5xf32>, tensor<3x5xf32>) outs(%11 : tensor<3x5xf32>) {
    ^bb0(%in: f32, %in_5: f32, %out: f32):
      %21 = arith.mulf %in, %in_5 : f32
      linalg.yield %21 : f32
    } -> tensor<3x5xf32>
    return %20, %17 : tensor<3x5xf32>, tensor<3x5xf32>
  }
}
