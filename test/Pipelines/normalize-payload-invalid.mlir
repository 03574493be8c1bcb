// RUN: egg-opt %s -split-input-file -egg-normalize-payload -verify-diagnostics

func.func @main(%x: tensor<4xf32>, %n: tensor<i64>) -> tensor<4xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %e = tensor.extract %n[] : tensor<i64>
  %end = arith.index_cast %e : i64 to index
  // expected-error @below {{host-control-flow: the number of trips of this loop over tensors depends on data or on another loop; give it constant bounds}}
  %r = scf.for %i = %c0 to %end step %c1 iter_args(%t = %x) -> (tensor<4xf32>) {
    %a = math.exp %t : tensor<4xf32>
    scf.yield %a : tensor<4xf32>
  }
  return %r : tensor<4xf32>
}

// -----

func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  %true = arith.constant true
  // expected-error @below {{host-control-flow: the number of trips of this loop over tensors depends on data}}
  %r = scf.while (%t = %x) : (tensor<4xf32>) -> tensor<4xf32> {
    scf.condition(%true) %t : tensor<4xf32>
  } do {
  ^bb0(%t: tensor<4xf32>):
    scf.yield %t : tensor<4xf32>
  }
  return %r : tensor<4xf32>
}
