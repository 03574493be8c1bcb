// What the verifier is for, and what the run's options find: a grid that reads
// its neighbour's result is right in order and wrong in reverse; one that leaves
// elements out shows them when results start as poison.
// RUN: not egg-opt %s --egg-verify-grid 2>&1 | FileCheck %s --check-prefix=REFUSED
// RUN: egg-opt %s --egg-lower-ops-to-loops | %run_tensors | FileCheck %s --check-prefix=FORWARD
// RUN: egg-opt %s --egg-lower-ops-to-loops="order=reversed poison" | %run_tensors | FileCheck %s --check-prefix=REVERSED
// REFUSED: reads shared_out 0 of its grid{{.*}}(G2)
// FORWARD: ( 1, 2, 3, 4 )
// REVERSED: ( 1, nan, nan, nan )
// REVERSED-NEXT: ( 5, nan, 5, nan )

// Element i is element i - 1 and one: a running count.
func.func private @neighbour() -> tensor<4xf32> {
  %one = arith.constant 1.0 : f32
  %zero = arith.constant 0.0 : f32
  %init = tensor.empty() : tensor<4xf32>
  %r = scf.forall (%i) in (4) shared_outs(%o = %init) -> (tensor<4xf32>) {
    %before = egg.read %o[%i] fill (%zero : f32) map = affine_map<()[s0] -> (s0 - 1)> : tensor<4xf32> -> tensor<f32>
    %e = tensor.empty() : tensor<f32>
    %f = linalg.fill ins(%one : f32) outs(%e : tensor<f32>) -> tensor<f32>
    %s = linalg.add ins(%before, %f : tensor<f32>, tensor<f32>) outs(%e : tensor<f32>) -> tensor<f32>
    scf.forall.in_parallel {
      egg.write %s into %o[%i] map = affine_map<()[s0] -> (s0)> : tensor<f32> into tensor<4xf32>
    }
  } {mapping = [#gpu.block<x>]}
  return %r : tensor<4xf32>
}

// Every other element only.
func.func private @gaps() -> tensor<4xf32> {
  %five = arith.constant 5.0 : f32
  %init = tensor.empty() : tensor<4xf32>
  %r = scf.forall (%i) = (0) to (4) step (2) shared_outs(%o = %init) -> (tensor<4xf32>) {
    %e = tensor.empty() : tensor<f32>
    %f = linalg.fill ins(%five : f32) outs(%e : tensor<f32>) -> tensor<f32>
    scf.forall.in_parallel {
      egg.write %f into %o[%i] map = affine_map<()[s0] -> (s0)> : tensor<f32> into tensor<4xf32>
    }
  } {mapping = [#gpu.block<x>]}
  return %r : tensor<4xf32>
}

func.func @main() {
  %c0 = arith.constant 0 : index
  %pad = arith.constant 0.0 : f32
  %a = func.call @neighbour() : () -> tensor<4xf32>
  %va = vector.transfer_read %a[%c0], %pad {in_bounds = [true]} : tensor<4xf32>, vector<4xf32>
  vector.print %va : vector<4xf32>
  %b = func.call @gaps() : () -> tensor<4xf32>
  %vb = vector.transfer_read %b[%c0], %pad {in_bounds = [true]} : tensor<4xf32>, vector<4xf32>
  vector.print %vb : vector<4xf32>
  return
}
