// RUN: egg-opt %s | egg-opt | FileCheck %s
// RUN: egg-opt %s --cse | FileCheck %s --check-prefix=CSE

// CHECK-LABEL: @place
func.func @place(%a: tensor<128x64xf16>, %v: tensor<?x?xf32>, %s: tensor<f32>) {
  // CHECK: egg.place %{{.*}} to shared : tensor<128x64xf16>
  %0 = egg.place %a to shared : tensor<128x64xf16>
  // CHECK: egg.place %{{.*}} to shared swizzle = 128 copy = tma depth = 4 hint = stream : tensor<128x64xf16>
  %1 = egg.place %a to shared swizzle = 128 copy = tma depth = 4 hint = stream : tensor<128x64xf16>
  // CHECK: egg.place %{{.*}} to shared pitch = 72 copy = cp_async : tensor<?x?xf32>
  %2 = egg.place %v to shared pitch = 72 copy = cp_async : tensor<?x?xf32>
  // CHECK: egg.place %{{.*}} to registers layout = #[[LAYOUT:.*]] copy = ld : tensor<128x64xf16> -> tensor<128x64xf16, #[[LAYOUT]]>
  %3 = egg.place %a to registers
    layout = <[128, 64], register = [[0, 1], [0, 2]], lane = [[0, 4], [0, 8], [0, 16], [0, 32], [1, 0]]>
    copy = ld
    : tensor<128x64xf16> -> tensor<128x64xf16, #egg.layout<[128, 64], register = [[0, 1], [0, 2]], lane = [[0, 4], [0, 8], [0, 16], [0, 32], [1, 0]]>>
  // CHECK: egg.place %{{.*}} to registers : tensor<f32>
  %4 = egg.place %s to registers : tensor<f32>
  return
}

// CHECK-LABEL: @read
func.func @read(%x: tensor<128x128xf32>, %t: tensor<100x64xf32>, %ids: tensor<4xi64>, %i: index, %n: index, %z: f32) {
  // CHECK: egg.read %{{.*}}[%{{.*}}, %{{.*}}] fill(%{{.*}} : f32) map = #{{.*}} : tensor<128x128xf32> -> tensor<34x66xf32>
  %0 = egg.read %x[%i, %n] fill (%z : f32) map = affine_map<(d0, d1)[s0, s1] -> (s0 + d0 - 1, s1 + d1 - 1)>
    : tensor<128x128xf32> -> tensor<34x66xf32>
  // CHECK: egg.read %{{.*}}[] gather(%{{.*}} : tensor<4xi64>) by [#{{.*}}] map = #{{.*}} : tensor<100x64xf32> -> tensor<4x64xf32>
  %1 = egg.read %t[] gather (%ids : tensor<4xi64>) by [affine_map<(d0, d1) -> (d0)>]
    map = affine_map<(d0, d1)[s0] -> (s0, d1)> : tensor<100x64xf32> -> tensor<4x64xf32>
  // CHECK: egg.read %{{.*}}[%{{.*}}] sizes(%{{.*}}) map = #{{.*}} : tensor<128x128xf32> -> tensor<?xf32>
  %2 = egg.read %x[%i] sizes (%n) map = affine_map<(d0)[s0] -> (s0, d0)> : tensor<128x128xf32> -> tensor<?xf32>
  return
}

// CHECK-LABEL: @write
func.func @write(%x: tensor<128xf32>, %ids: tensor<128xi32>) -> (tensor<4096xf32>, tensor<64xf32>) {
  %e = tensor.empty() : tensor<4096xf32>
  %h = tensor.empty() : tensor<64xf32>
  %r:2 = scf.forall (%i) = (0) to (4096) step (128) shared_outs(%o = %e, %p = %h) -> (tensor<4096xf32>, tensor<64xf32>) {
    scf.forall.in_parallel {
      // CHECK: egg.write %{{.*}} into %{{.*}}[%{{.*}}] path = staged hint = keep map = #{{.*}} : tensor<128xf32> into tensor<4096xf32>
      egg.write %x into %o[%i] path = staged hint = keep map = affine_map<(d0)[s0] -> (s0 + d0)> : tensor<128xf32> into tensor<4096xf32>
      // CHECK: egg.write %{{.*}} into %{{.*}}[] scatter(%{{.*}} : tensor<128xi32>) by [#{{.*}}] combine = add map = #{{.*}} : tensor<128xf32> into tensor<64xf32>
      egg.write %x into %p[] scatter (%ids : tensor<128xi32>) by [affine_map<(d0) -> (d0)>] combine = add
        map = affine_map<(d0)[s0] -> (s0)> : tensor<128xf32> into tensor<64xf32>
    }
  } {mapping = [#gpu.block<x>]}
  return %r#0, %r#1 : tensor<4096xf32>, tensor<64xf32>
}

// CHECK-LABEL: @scan
func.func @scan(%x: tensor<4x64xf32>, %y: tensor<4x64xi32>) {
  // CHECK: %{{.*}}, %{{.*}} = egg.scan %{{.*}} dim = 1 {
  // CHECK: egg.yield %{{.*}} : f32
  // CHECK: } : tensor<4x64xf32> -> tensor<4x64xf32>, tensor<4xf32>
  %s, %t = egg.scan %x dim = 1 {
    ^bb0(%a: f32, %b: f32):
      %c = arith.addf %a, %b : f32
      egg.yield %c : f32
  } : tensor<4x64xf32> -> tensor<4x64xf32>, tensor<4xf32>
  // CHECK: %{{.*}}:2, %{{.*}}:2 = egg.scan %{{.*}}, %{{.*}} dim = 0 exclusive reverse neutral = [0.000000e+00 : f32, 1 : i32] {
  %u:4 = egg.scan %x, %y dim = 0 exclusive reverse neutral = [0.0 : f32, 1 : i32] {
    ^bb0(%a: f32, %m: i32, %b: f32, %n: i32):
      %c = arith.addf %a, %b : f32
      %d = arith.muli %m, %n : i32
      egg.yield %c, %d : f32, i32
  } : tensor<4x64xf32>, tensor<4x64xi32> -> tensor<4x64xf32>, tensor<4x64xi32>, tensor<64xf32>, tensor<64xi32>
  return
}

// Equal places merge; a place stays in its loop.
// CSE-LABEL: @effects
func.func @effects(%a: tensor<64xf16>, %n: index) -> (tensor<64xf16>, tensor<64xf16>) {
  // CSE: egg.place
  // CSE-NOT: egg.place
  // CSE: return
  %0 = egg.place %a to shared : tensor<64xf16>
  %1 = egg.place %a to shared : tensor<64xf16>
  %2 = egg.place %a to shared depth = 2 : tensor<64xf16>
  return %0, %1 : tensor<64xf16>, tensor<64xf16>
}
