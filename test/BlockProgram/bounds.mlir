// A read without a fill that leaves its source: found when asked for, and the
// index tensor of a gather likewise.
// RUN: sed s/WHICH/source/ %s | egg-opt --egg-lower-ops-to-loops=check-bounds | %crash_tensors 2>&1 | FileCheck %s --check-prefix=SOURCE
// RUN: sed s/WHICH/index/ %s | egg-opt --egg-lower-ops-to-loops=check-bounds | %crash_tensors 2>&1 | FileCheck %s --check-prefix=INDEX
// SOURCE: egg.read has no fill and reads outside its source
// INDEX: an index tensor is read outside its shape

func.func private @source(%x: tensor<8xf32>, %ids: tensor<4xi32>, %i: index) -> tensor<4xf32> {
  %t = egg.read %x[%i] map = affine_map<(d0)[s0] -> (d0 + s0)> : tensor<8xf32> -> tensor<4xf32>
  return %t : tensor<4xf32>
}

func.func private @index(%x: tensor<8xf32>, %ids: tensor<4xi32>, %i: index) -> tensor<4xf32> {
  %t = egg.read %x[] gather (%ids : tensor<4xi32>) by [affine_map<(d0) -> (d0 + 1)>] map = affine_map<(d0)[s0] -> (s0)> : tensor<8xf32> -> tensor<4xf32>
  return %t : tensor<4xf32>
}

func.func @main() {
  %x = arith.constant dense<1.0> : tensor<8xf32>
  %ids = arith.constant dense<3> : tensor<4xi32>
  %i = arith.constant 5 : index
  %c0 = arith.constant 0 : index
  %t = func.call @WHICH(%x, %ids, %i) : (tensor<8xf32>, tensor<4xi32>, index) -> tensor<4xf32>
  %v = tensor.extract %t[%c0] : tensor<4xf32>
  vector.print %v : f32
  return
}
