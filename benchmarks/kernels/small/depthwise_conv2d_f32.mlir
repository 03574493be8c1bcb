module {
  func.func @main(%arg0: tensor<5x1x3x3xf32>, %arg1: tensor<2x5x6x7xf32>) -> tensor<2x5x4x5xf32> {
    %cst = arith.constant 0.000000e+00 : f32
    %0 = tensor.empty() : tensor<2x5x4x5xf32>
    %1 = linalg.fill ins(%cst : f32) outs(%0 : tensor<2x5x4x5xf32>) -> tensor<2x5x4x5xf32>
    %collapsed = tensor.collapse_shape %arg0 [[0, 1], [2], [3]] : tensor<5x1x3x3xf32> into tensor<5x3x3xf32>
    %2 = linalg.depthwise_conv_2d_nchw_chw {dilations = dense<1> : vector<2xi64>, strides = dense<1> : vector<2xi64>} ins(%arg1, %collapsed : tensor<2x5x6x7xf32>, tensor<5x3x3xf32>) outs(%1 : tensor<2x5x4x5xf32>) -> tensor<2x5x4x5xf32>
    return %2 : tensor<2x5x4x5xf32>
  }
}
