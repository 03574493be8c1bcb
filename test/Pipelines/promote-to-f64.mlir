// RUN: egg-opt %s -split-input-file -egg-promote-to-f64 | FileCheck %s

// The argument keeps its type; constants keep their values, -inf and the f16
// maximum too; extf and truncf are gone, integers as before.
// CHECK-LABEL: func.func @main(
// CHECK-SAME: %[[X:.*]]: tensor<4xf16>, %[[I:.*]]: tensor<4xi32>) -> (tensor<4xf64>, tensor<4xi32>)
// CHECK: %[[W:.*]] = linalg.generic {{.*}} ins(%[[X]] : tensor<4xf16>)
// CHECK: arith.extf %{{.*}} : f16 to f64
// CHECK: dense<6.550400e+04> : tensor<4xf64>
// CHECK: arith.constant 0xFFF0000000000000 : f64
// CHECK: linalg.generic {{.*}} ins(%[[W]]
// CHECK-NOT: arith.extf
// CHECK-NOT: arith.truncf
// CHECK: arith.maximumf %{{.*}} : f64
// CHECK-NOT: fastmath
// CHECK: return
func.func @main(%x: tensor<4xf16>, %i: tensor<4xi32>) -> (tensor<4xf16>, tensor<4xi32>) {
  %c = arith.constant dense<65504.0> : tensor<4xf16>
  %ninf = arith.constant 0xFF800000 : f32
  %r = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
    ins(%x : tensor<4xf16>) outs(%c : tensor<4xf16>) {
  ^bb0(%a: f16, %o: f16):
    %0 = arith.extf %a : f16 to f32
    %1 = arith.maximumf %0, %ninf fastmath<fast> : f32
    %2 = arith.truncf %1 : f32 to f16
    linalg.yield %2 : f16
  } -> tensor<4xf16>
  return %r, %i : tensor<4xf16>, tensor<4xi32>
}
