module {
  func.func @main(%arg0: tensor<3x4xf32>, %arg1: tensor<3x5xf32>) -> tensor<7x12xf32> {
    %cst = arith.constant 0.000000e+00 : f32
    %concat = tensor.concat dim(1) %arg0, %arg1 : (tensor<3x4xf32>, tensor<3x5xf32>) -> tensor<3x9xf32>
    %padded = tensor.pad %concat low[1, 2] high[3, 1] {
    ^bb0(%arg2: index, %arg3: index):
      tensor.yield %cst : f32
    } : tensor<3x9xf32> to tensor<7x12xf32>
    return %padded : tensor<7x12xf32>
  }
}
