// RUN: egg-opt %s --split-input-file --egg-assign-layouts --egg-lower-block-program --canonicalize --cse | FileCheck %s

#id = affine_map<(d0) -> (d0)>
#at = affine_map<(d0)[s0] -> (s0 + d0)>

// Four 16-byte loads, then arithmetic on vectors, then stores; the last tile has
// a version of its own behind one branch.
// CHECK: func.func @main(%[[X:.*]]: memref<5000xf32>, %[[R:.*]]: memref<5000xf32>)
// CHECK: gpu.launch_func @kernels::@main_stage0 blocks in (%{{.*}}, %{{.*}}, %{{.*}}) threads in (%{{.*}}, %{{.*}}, %{{.*}}) args(%[[X]] : memref<5000xf32>, %[[R]] : memref<5000xf32>)
// CHECK: gpu.module @kernels attributes {egg.index_bits = 32 : i64}
// CHECK-LABEL: gpu.func @main_stage0
// CHECK: scf.if
// CHECK-COUNT-4: vector.load {{.*}} {alignment = 16 : i64} : memref<5000xf32>, vector<4xf32>
// CHECK-NOT: vector.load
// CHECK: arith.addf %{{.*}}, %{{.*}} : vector<4xf32>
// CHECK-COUNT-4: vector.store {{.*}} {alignment = 16 : i64} : memref<5000xf32>, vector<4xf32>
// CHECK: } else {
// CHECK: scf.if
func.func @main(%x: tensor<5000xf32>) -> tensor<5000xf32> {
  %init = tensor.empty() : tensor<5000xf32>
  %r = scf.forall (%i) = (0) to (5000) step (2048) shared_outs(%o = %init) -> (tensor<5000xf32>) {
    %w = affine.min affine_map<(d0) -> (-d0 + 5000, 2048)>(%i)
    %t = egg.read %x[%i] sizes(%w) map = #at : tensor<5000xf32> -> tensor<?xf32>
    %e = tensor.empty(%w) : tensor<?xf32>
    %g = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]} ins(%t : tensor<?xf32>) outs(%e : tensor<?xf32>) {
    ^bb0(%a: f32, %u: f32):
      %s = arith.addf %a, %a : f32
      linalg.yield %s : f32
    } -> tensor<?xf32>
    scf.forall.in_parallel {
      egg.write %g into %o[%i] map = #at : tensor<?xf32> into tensor<5000xf32>
    }
  } {egg.grid = #egg.grid<threads = 128>}
  return %r : tensor<5000xf32>
}

// -----

// A sum: in the thread, five shuffles, one exchange between warps, one writer.
// The partial results lie in memory of their own between two launches.
// CHECK: func.func @main(%[[X:.*]]: memref<4096xf32>, %[[R:.*]]: memref<1xf32>)
// CHECK: %[[PART:.*]] = memref.alloc() : memref<4xf32>
// CHECK: gpu.launch_func @kernels::@main_stage0 {{.*}} args(%[[X]] : memref<4096xf32>, %[[PART]] : memref<4xf32>)
// CHECK: gpu.launch_func @kernels::@main_stage1 {{.*}} args(%[[PART]] : memref<4xf32>, %[[R]] : memref<1xf32>)
// CHECK-LABEL: gpu.func @main_stage0
// CHECK-SAME: workgroup(%[[SHARED:.*]] : memref<128xf32, #gpu.address_space<workgroup>>)
// CHECK-COUNT-5: gpu.shuffle xor
// CHECK-NOT: gpu.shuffle
// CHECK: memref.store %{{.*}}, %[[SHARED]]
// CHECK: gpu.barrier
// CHECK-COUNT-4: memref.load %[[SHARED]]
// CHECK-NOT: gpu.barrier
// CHECK: memref.store
func.func @main(%x: tensor<4096xf32>) -> tensor<1xf32> {
  %z = arith.constant 0.0 : f32
  %i0 = tensor.empty() : tensor<4xf32>
  %p = scf.forall (%b) in (4) shared_outs(%o = %i0) -> (tensor<4xf32>) {
    %t = egg.read %x[%b] map = affine_map<(d0)[s0] -> (s0 * 1024 + d0)> : tensor<4096xf32> -> tensor<1024xf32>
    %e = tensor.empty() : tensor<f32>
    %f = linalg.fill ins(%z : f32) outs(%e : tensor<f32>) -> tensor<f32>
    %s = linalg.reduce { arith.addf } ins(%t : tensor<1024xf32>) outs(%f : tensor<f32>) dimensions = [0]
    scf.forall.in_parallel {
      egg.write %s into %o[%b] map = affine_map<()[s0] -> (s0)> : tensor<f32> into tensor<4xf32>
    }
  } {egg.grid = #egg.grid<threads = 128>}
  %i1 = tensor.empty() : tensor<1xf32>
  %r = scf.forall (%b) in (1) shared_outs(%o = %i1) -> (tensor<1xf32>) {
    %t = egg.read %p[] map = affine_map<(d0) -> (d0)> : tensor<4xf32> -> tensor<4xf32>
    %e = tensor.empty() : tensor<f32>
    %f = linalg.fill ins(%z : f32) outs(%e : tensor<f32>) -> tensor<f32>
    %s = linalg.reduce { arith.addf } ins(%t : tensor<4xf32>) outs(%f : tensor<f32>) dimensions = [0]
    scf.forall.in_parallel {
      egg.write %s into %o[%b] map = affine_map<()[s0] -> (s0)> : tensor<f32> into tensor<1xf32>
    }
  } {egg.grid = #egg.grid<threads = 32>}
  return %r : tensor<1xf32>
}
