func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  %c0 = arith.constant 0 : index
  %z = arith.constant 0.0 : f32
  %r = scf.while (%t = %x) : (tensor<4xf32>) -> tensor<4xf32> {
    %v = tensor.extract %t[%c0] : tensor<4xf32>
    %go = arith.cmpf ogt, %v, %z : f32
    scf.condition(%go) %t : tensor<4xf32>
  } do {
  ^bb0(%t: tensor<4xf32>):
    %e = tensor.empty() : tensor<4xf32>
    %y = linalg.negf ins(%t : tensor<4xf32>) outs(%e : tensor<4xf32>) -> tensor<4xf32>
    scf.yield %y : tensor<4xf32>
  }
  return %r : tensor<4xf32>
}
