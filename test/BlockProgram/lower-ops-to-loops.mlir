// RUN: egg-opt %s --egg-lower-ops-to-loops --canonicalize --cse | FileCheck %s
// RUN: egg-opt %s --egg-lower-ops-to-loops="order=reversed poison" --canonicalize --cse | FileCheck %s --check-prefix=REVERSED
// RUN: egg-opt %s --egg-lower-ops-to-loops="order=shuffled check-bounds" --canonicalize --cse | FileCheck %s --check-prefix=SHUFFLED

// CHECK-LABEL: @grid
// CHECK-NOT: egg.
// CHECK-NOT: scf.forall
// CHECK: %[[EMPTY:.*]] = tensor.empty() : tensor<128x130xf32>
// CHECK: scf.for %{{.*}} = %c0 to %c12 step %c1 iter_args(%{{.*}} = %[[EMPTY]])
// CHECK: linalg.generic
// CHECK-NOT: cf.assert
// CHECK: tensor.extract
// CHECK: scf.if
// CHECK: tensor.insert

// REVERSED-LABEL: @grid
// REVERSED: %[[NAN:.*]] = arith.constant 0x7FC00000 : f32
// REVERSED: %[[POISON:.*]] = linalg.fill ins(%[[NAN]]
// REVERSED: scf.for %[[I:.*]] = %c0 to %c12 step %c1 iter_args(%{{.*}} = %[[POISON]])
// REVERSED: arith.subi %c11, %[[I]]

// SHUFFLED-LABEL: @grid
// SHUFFLED: scf.for %[[I:.*]] = %c0 to %c12 step %c1
// SHUFFLED: %[[A:.*]] = arith.muli %[[I]], %c7919
// SHUFFLED: %[[B:.*]] = arith.addi %[[A]], %c31
// SHUFFLED: arith.remui %[[B]], %c12
// SHUFFLED: cf.assert %{{.*}}, "egg.read has no fill and reads outside its source"
func.func @grid(%x: tensor<128x130xf32>) -> tensor<128x130xf32> {
  %e = tensor.empty() : tensor<128x130xf32>
  %r = scf.forall (%i, %j) = (0, 0) to (128, 130) step (32, 64) shared_outs(%o = %e) -> (tensor<128x130xf32>) {
    %w = affine.min affine_map<(d0) -> (-d0 + 130, 64)>(%j)
    %t = egg.read %x[%i, %j] sizes (%w) map = affine_map<(d0, d1)[s0, s1] -> (s0 + d0, s1 + d1)> : tensor<128x130xf32> -> tensor<32x?xf32>
    %p = egg.place %t to shared : tensor<32x?xf32>
    scf.forall.in_parallel {
      egg.write %p into %o[%i, %j] map = affine_map<(d0, d1)[s0, s1] -> (s0 + d0, s1 + d1)> : tensor<32x?xf32> into tensor<128x130xf32>
    }
  } {mapping = [#gpu.block<y>, #gpu.block<x>]}
  return %r : tensor<128x130xf32>
}

// Layouts go, in functions' types too.
// CHECK-LABEL: @layouts(%{{.*}}: tensor<4xf32>) -> tensor<4xf32>
// CHECK: arith.constant dense<{{.*}}> : tensor<4xf32>
// CHECK-NOT: egg.
// CHECK: return
func.func @layouts(%x: tensor<4xf32, #egg.layout<[4], lane = [[1], [2]]>>) -> tensor<4xf32, #egg.layout<[4], register = [[1], [2]]>> {
  %c = arith.constant dense<[1.0, 2.0, 3.0, 4.0]> : tensor<4xf32, #egg.layout<[4], register = [[1], [2]]>>
  %p = egg.place %x to registers : tensor<4xf32, #egg.layout<[4], lane = [[1], [2]]>> -> tensor<4xf32, #egg.layout<[4], register = [[1], [2]]>>
  %r = arith.addf %p, %c : tensor<4xf32, #egg.layout<[4], register = [[1], [2]]>>
  return %r : tensor<4xf32, #egg.layout<[4], register = [[1], [2]]>>
}
