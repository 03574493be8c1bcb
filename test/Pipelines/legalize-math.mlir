// RUN: egg-opt %s --pass-pipeline='builtin.module(gpu.module(egg-legalize-math))' | FileCheck %s

// Declared once each, f32 with the trailing f.
// CHECK-DAG: llvm.func @__nv_expf(f32) -> f32
// CHECK-DAG: llvm.func @__nv_exp(f64) -> f64
// CHECK-DAG: llvm.func @__nv_fmodf(f32, f32) -> f32
// CHECK-DAG: llvm.func @__nv_pow(f64, f64) -> f64
// CHECK-NOT: math.
gpu.module @kernels attributes {egg.index_bits = 32} {
  // CHECK-LABEL: gpu.func @exp
  // CHECK: llvm.call @__nv_expf(%{{.*}}) : (f32) -> f32
  // CHECK: llvm.call @__nv_exp(%{{.*}}) : (f64) -> f64
  // CHECK: %[[W:.*]] = arith.extf %{{.*}} : f16 to f32
  // CHECK: %[[E:.*]] = llvm.call @__nv_expf(%[[W]]) : (f32) -> f32
  // CHECK: arith.truncf %[[E]] : f32 to f16
  // CHECK: %[[WB:.*]] = arith.extf %{{.*}} : bf16 to f32
  // CHECK: %[[EB:.*]] = llvm.call @__nv_expf(%[[WB]]) : (f32) -> f32
  // CHECK: arith.truncf %[[EB]] : f32 to bf16
  gpu.func @exp(%s: f32, %d: f64, %h: f16, %b: bf16, %o: memref<f32>) {
    %0 = math.exp %s : f32
    %1 = math.exp %d : f64
    %2 = math.exp %h : f16
    %3 = math.exp %b : bf16
    gpu.return
  }

  // Fast-math flags other than contract are dropped.
  // CHECK-LABEL: gpu.func @ieee
  // CHECK: %[[R:.*]] = llvm.intr.sqrt(%{{.*}}) : (f32) -> f32
  // CHECK: %[[R2:.*]] = llvm.intr.sqrt(%{{.*}}) : (f32) -> f32
  // CHECK: arith.divf %{{.*}}, %[[R2]] : f32
  // CHECK: llvm.call @__nv_fmodf
  // CHECK: arith.mulf %{{.*}}, %{{.*}} fastmath<contract> : f32
  // CHECK: arith.addf %{{.*}}, %{{.*}} : f32
  gpu.func @ieee(%x: f32, %y: f32) {
    %0 = math.sqrt %x fastmath<afn> : f32
    %1 = math.rsqrt %x : f32
    %2 = arith.remf %x, %y : f32
    %3 = arith.mulf %x, %y fastmath<fast> : f32
    %4 = arith.addf %x, %y fastmath<reassoc,nnan> : f32
    gpu.return
  }

  // A vector function goes element by element; an fma keeps its rows.
  // CHECK-LABEL: gpu.func @vectors
  // CHECK-COUNT-4: llvm.call @__nv_expf
  // CHECK-NOT: llvm.call @__nv_expf
  // CHECK-COUNT-2: llvm.intr.fma(%{{.*}}, %{{.*}}, %{{.*}}) : (vector<8xf16>, vector<8xf16>, vector<8xf16>) -> vector<8xf16>
  // CHECK: llvm.intr.fma(%{{.*}}, %{{.*}}, %{{.*}}) : (f32, f32, f32) -> f32
  gpu.func @vectors(%v: vector<2x2xf32>, %h: vector<2x8xf16>, %z: vector<f32>) {
    %0 = math.exp %v : vector<2x2xf32>
    %1 = math.fma %h, %h, %h : vector<2x8xf16>
    %2 = math.fma %z, %z, %z : vector<f32>
    gpu.return
  }

  // CHECK-LABEL: gpu.func @powers
  // CHECK: %[[SQ:.*]] = arith.mulf %[[X:.*]], %[[X]] : f32
  // CHECK-NOT: arith.mulf
  // CHECK: arith.extf %[[X]] : f32 to f64
  // CHECK: arith.sitofp %{{.*}} : i32 to f64
  // CHECK: llvm.call @__nv_pow(
  // CHECK: arith.select
  // CHECK: arith.truncf %{{.*}} : f64 to f32
  // CHECK: scf.for {{.*}} -> (i64, i64, i64)
  gpu.func @powers(%x: f32, %n: i32, %i: i64) {
    %two = arith.constant 2 : i32
    %0 = math.fpowi %x, %two : f32, i32
    %1 = math.fpowi %x, %n : f32, i32
    %2 = math.ipowi %i, %i : i64
    gpu.return
  }

  // i64 to bf16 has one rounding: 53 bits and a sticky bit, then 24 and one.
  // CHECK-LABEL: gpu.func @to_bf16
  // CHECK: arith.constant 2047 : i64
  // CHECK: arith.select
  // CHECK: %[[D:.*]] = arith.sitofp %{{.*}} : i64 to f64
  // CHECK: arith.bitcast %[[D]] : f64 to i64
  // CHECK: arith.constant 536870911 : i64
  // CHECK: %[[O:.*]] = arith.bitcast %{{.*}} : i64 to f64
  // CHECK: arith.truncf %[[O]] : f64 to bf16
  // CHECK: %[[D2:.*]] = arith.uitofp %{{.*}} : i32 to f64
  // CHECK: arith.bitcast %[[D2]] : f64 to i64
  // CHECK: %[[D3:.*]] = arith.sitofp %{{.*}} : i8 to f32
  // CHECK: arith.truncf %[[D3]] : f32 to bf16
  gpu.func @to_bf16(%l: i64, %i: i32, %c: i8) {
    %0 = arith.sitofp %l : i64 to bf16
    %1 = arith.uitofp %i : i32 to bf16
    %2 = arith.sitofp %c : i8 to bf16
    gpu.return
  }

  // Bits of an index are counted in the width that the kernel gives it.
  // CHECK-LABEL: gpu.func @index_bits
  // CHECK: %[[I:.*]] = arith.index_cast %{{.*}} : index to i32
  // CHECK: %[[C:.*]] = "llvm.intr.ctlz"(%[[I]]) <{is_zero_poison = false}> : (i32) -> i32
  // CHECK: arith.index_castui %[[C]] : i32 to index
  gpu.func @index_bits(%i: index) {
    %0 = math.ctlz %i : index
    gpu.return
  }

  // CHECK-LABEL: gpu.func @classes
  // CHECK: arith.cmpf uno
  // CHECK: arith.cmpf oeq
  // CHECK: arith.cmpf olt
  // CHECK: arith.constant 6.103520e-05 : f16
  gpu.func @classes(%x: f16) {
    %0 = math.isnan %x : f16
    %1 = math.isinf %x : f16
    %2 = math.isfinite %x : f16
    %3 = math.isnormal %x : f16
    gpu.return
  }
}
