// RUN: egg-opt %s --split-input-file --egg-emulate-kernels | FileCheck %s

// One thread an element, with a masked tail.
// CHECK: argument 0: [-0.75, 1, -1.25, 0.5, 2.25, 0, 1.75, -0.5, 1.25, -1, 0.75, -1.5, 0.25, 2, -0.25, 1.5, ...]
module attributes {gpu.container_module} {
func.func @main(%a: memref<70xf32>) {
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %c32 = arith.constant 32 : index
  gpu.launch_func @k::@scale blocks in (%c3, %c1, %c1) threads in (%c32, %c1, %c1) args(%a : memref<70xf32>)
  return
}
gpu.module @k {
  gpu.func @scale(%a: memref<70xf32>) kernel {
    %n = arith.constant 70 : index
    %one = arith.constant 0.5 : f32
    %i = gpu.global_id x
    %in = arith.cmpi ult, %i, %n : index
    scf.if %in {
      %v = memref.load %a[%i] : memref<70xf32>
      %w = arith.addf %v, %one : f32
      memref.store %w, %a[%i] : memref<70xf32>
    }
    gpu.return
  }
}
}

// -----

// The sum of the first row, in both blocks, by lanes, then by warps through shared memory: 100 elements
// of the pattern sum to -14.5 (six periods of -2, then four elements, -2.5).
// CHECK: argument 1: [-14.5, -14.5]
module attributes {gpu.container_module} {
func.func @main(%a: memref<2x100xf32>, %r: memref<2xf32>) {
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c128 = arith.constant 128 : index
  gpu.launch_func @k::@sum blocks in (%c2, %c1, %c1) threads in (%c128, %c1, %c1) args(%a : memref<2x100xf32>, %r : memref<2xf32>)
  return
}
gpu.module @k {
  gpu.func @sum(%a: memref<2x100xf32>, %r: memref<2xf32>) workgroup(%s: memref<4xf32, 3>) kernel {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c4 = arith.constant 4 : index
    %n = arith.constant 100 : index
    %zero = arith.constant 0.0 : f32
    %width = arith.constant 32 : i32
    %t = gpu.thread_id x
    %b = gpu.block_id x
    %in = arith.cmpi ult, %t, %n : index
    %v = scf.if %in -> f32 {
      %l = memref.load %a[%c0, %t] : memref<2x100xf32>
      scf.yield %l : f32
    } else {
      scf.yield %zero : f32
    }
    %i1 = arith.constant 1 : i32
    %i2 = arith.constant 2 : i32
    %i4 = arith.constant 4 : i32
    %i8 = arith.constant 8 : i32
    %i16 = arith.constant 16 : i32
    %s1, %p1 = gpu.shuffle xor %v, %i1, %width : f32
    %v1 = arith.addf %v, %s1 : f32
    %s2, %p2 = gpu.shuffle xor %v1, %i2, %width : f32
    %v2 = arith.addf %v1, %s2 : f32
    %s4, %p4 = gpu.shuffle xor %v2, %i4, %width : f32
    %v4 = arith.addf %v2, %s4 : f32
    %s8, %p8 = gpu.shuffle xor %v4, %i8, %width : f32
    %v8 = arith.addf %v4, %s8 : f32
    %s16, %p16 = gpu.shuffle xor %v8, %i16, %width : f32
    %v16 = arith.addf %v8, %s16 : f32
    %lane = gpu.lane_id
    %w = gpu.subgroup_id : index
    %first = arith.cmpi eq, %lane, %c0 : index
    scf.if %first {
      memref.store %v16, %s[%w] : memref<4xf32, 3>
    }
    gpu.barrier
    %isZero = arith.cmpi eq, %t, %c0 : index
    scf.if %isZero {
      %sum = scf.for %k = %c0 to %c4 step %c1 iter_args(%acc = %zero) -> f32 {
        %p = memref.load %s[%k] : memref<4xf32, 3>
        %x = arith.addf %acc, %p : f32
        scf.yield %x : f32
      }
      memref.store %sum, %r[%b] : memref<2xf32>
    }
    gpu.return
  }
}
}

// -----

// Blocks hand their partial sums to the last one through an atomic counter.
// CHECK: argument 0: [-5, 2, -7, 0]
// CHECK: argument 1: [-10]
module attributes {gpu.container_module} {
func.func @main(%a: memref<4xi32>, %r: memref<1xi32>) {
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %part = memref.alloc() : memref<4xi32>
  %counter = memref.alloc() : memref<1xi32>
  gpu.launch_func @k::@clear blocks in (%c1, %c1, %c1) threads in (%c1, %c1, %c1) args(%counter : memref<1xi32>)
  gpu.launch_func @k::@sum blocks in (%c4, %c1, %c1) threads in (%c1, %c1, %c1) args(%a : memref<4xi32>, %part : memref<4xi32>, %counter : memref<1xi32>, %r : memref<1xi32>)
  memref.dealloc %part : memref<4xi32>
  memref.dealloc %counter : memref<1xi32>
  return
}
gpu.module @k {
  gpu.func @clear(%counter: memref<1xi32>) kernel {
    %c0 = arith.constant 0 : index
    %zero = arith.constant 0 : i32
    memref.store %zero, %counter[%c0] : memref<1xi32>
    gpu.return
  }
  gpu.func @sum(%a: memref<4xi32>, %part: memref<4xi32>, %counter: memref<1xi32>, %r: memref<1xi32>) kernel {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c4 = arith.constant 4 : index
    %zero = arith.constant 0 : i32
    %one = arith.constant 1 : i32
    %three = arith.constant 3 : i32
    %b = gpu.block_id x
    %v = memref.load %a[%b] : memref<4xi32>
    memref.store %v, %part[%b] : memref<4xi32>
    %old = memref.atomic_rmw addi %one, %counter[%c0] : (i32, memref<1xi32>) -> i32
    %last = arith.cmpi eq, %old, %three : i32
    scf.if %last {
      %sum = scf.for %k = %c0 to %c4 step %c1 iter_args(%acc = %zero) -> i32 {
        %p = memref.load %part[%k] : memref<4xi32>
        %x = arith.addi %acc, %p : i32
        scf.yield %x : i32
      }
      memref.store %sum, %r[%c0] : memref<1xi32>
    }
    gpu.return
  }
}
}

// -----

// A transpose through dynamic shared memory, in f16 pairs; a private copy.
// CHECK: argument 1: [-1.25, 1.75, 0.75, -0.25, 0.5, -0.5, -1.5, 1.5, -1.75, 1.25, 0.25, -0.75, 0, -1, -2, 1]
module attributes {gpu.container_module} {
func.func @main(%a: memref<4x4xf16>, %r: memref<4x4xf16>) {
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c4 = arith.constant 4 : index
  %bytes = arith.constant 32 : i32
  gpu.launch_func @k::@transpose blocks in (%c1, %c1, %c1) threads in (%c2, %c4, %c1) dynamic_shared_memory_size %bytes args(%a : memref<4x4xf16>, %r : memref<4x4xf16>)
  return
}
gpu.module @k {
  gpu.func @transpose(%a: memref<4x4xf16>, %r: memref<4x4xf16>) private(%p: memref<2xf16, 5>) kernel {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %x = gpu.thread_id x
    %y = gpu.thread_id y
    %j = arith.muli %x, %c2 : index
    %j1 = arith.addi %j, %c1 : index
    %bytes = gpu.dynamic_shared_memory : memref<?xi8, #gpu.address_space<workgroup>>
    %s = memref.view %bytes[%c0][] : memref<?xi8, #gpu.address_space<workgroup>> to memref<4x4xf16, #gpu.address_space<workgroup>>
    %v = vector.load %a[%y, %j] {alignment = 4} : memref<4x4xf16>, vector<2xf16>
    vector.store %v, %s[%y, %j] : memref<4x4xf16, #gpu.address_space<workgroup>>, vector<2xf16>
    gpu.barrier
    %e0 = memref.load %s[%j, %y] : memref<4x4xf16, #gpu.address_space<workgroup>>
    %e1 = memref.load %s[%j1, %y] : memref<4x4xf16, #gpu.address_space<workgroup>>
    memref.store %e0, %p[%c0] : memref<2xf16, 5>
    memref.store %e1, %p[%c1] : memref<2xf16, 5>
    %w = vector.load %p[%c0] : memref<2xf16, 5>, vector<2xf16>
    vector.store %w, %r[%y, %j] : memref<4x4xf16>, vector<2xf16>
    gpu.return
  }
}
}

// -----

// Lanes that leave a while loop at different times, and views of views.
// CHECK: argument 0: [3, 5, 3, 7, 3, 5, 3, 9]
module attributes {gpu.container_module} {
func.func @main(%a: memref<8xi32>) {
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  gpu.launch_func @k::@count blocks in (%c1, %c1, %c1) threads in (%c8, %c1, %c1) args(%a : memref<8xi32>)
  return
}
gpu.module @k {
  gpu.func @count(%a: memref<8xi32>) kernel {
    %zero = arith.constant 0 : i32
    %one = arith.constant 1 : i32
    %two = arith.constant 2 : i32
    %three = arith.constant 3 : i32
    %c0 = arith.constant 0 : index
    %c2 = arith.constant 2 : index
    %t = gpu.thread_id x
    %t1 = arith.index_cast %t : index to i32
    %start = arith.addi %t1, %one : i32
    // 3 + 2 * trailing zeros of the start, with 3 at least.
    %r:2 = scf.while (%v = %start, %n = %three) : (i32, i32) -> (i32, i32) {
      %bit = arith.andi %v, %one : i32
      %even = arith.cmpi eq, %bit, %zero : i32
      scf.condition(%even) %v, %n : i32, i32
    } do {
    ^bb0(%v: i32, %n: i32):
      %h = arith.shrsi %v, %one : i32
      %m = arith.addi %n, %two : i32
      scf.yield %h, %m : i32, i32
    }
    %x = memref.expand_shape %a [[0, 1]] output_shape [4, 2] : memref<8xi32> into memref<4x2xi32>
    %q = arith.divui %t, %c2 : index
    %m = arith.remui %t, %c2 : index
    %row = memref.subview %x[%q, 0] [1, 2] [1, 1] : memref<4x2xi32> to memref<2xi32, strided<[1], offset: ?>>
    // Odd starts add nothing: show the other branch too.
    %isZero = arith.cmpi eq, %m, %c0 : index
    %out = scf.if %isZero -> i32 {
      scf.yield %r#1 : i32
    } else {
      %more = arith.addi %r#1, %zero : i32
      scf.yield %more : i32
    }
    memref.store %out, %row[%m] : memref<2xi32, strided<[1], offset: ?>>
    gpu.return
  }
}
}

// -----

// Launches in a host loop; the order of two launches is no race.
// CHECK: argument 0: [2, 9]
module attributes {gpu.container_module} {
func.func @main(%a: memref<2xi64>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  scf.for %i = %c0 to %c3 step %c1 {
    gpu.launch_func @k::@add blocks in (%c2, %c1, %c1) threads in (%c1, %c1, %c1) args(%a : memref<2xi64>, %i : index)
  }
  return
}
gpu.module @k {
  gpu.func @add(%a: memref<2xi64>, %i: index) kernel {
    %c1 = arith.constant 1 : index
    %b = gpu.block_id x
    %other = arith.subi %c1, %b : index
    %v = memref.load %a[%b] : memref<2xi64>
    %k = affine.apply affine_map<(d0) -> (d0 * 2 + d0 floordiv 2)>(%i)
    %n = arith.index_cast %k : index to i64
    %w = arith.addi %v, %n : i64
    memref.store %w, %a[%b] : memref<2xi64>
    gpu.return
  }
}
}

// -----

// Ops with two results: sums of -5 and 3 and of -5 and -5 with their carries,
// products of -5 (251) and 3 in two halves; then powers of -5, a clamp, and the
// least normal f16 beside half of it.
// CHECK: argument 1: [-2, 1, 5, 0, -15, 2, -15, -1, -125, 0]
// CHECK: argument 2: [0, 1, -1.5, 0.75]
module attributes {gpu.container_module} {
func.func @main(%a: memref<4xi8>, %r: memref<10xi8>, %f: memref<4xf16>) {
  %c1 = arith.constant 1 : index
  gpu.launch_func @k::@f blocks in (%c1, %c1, %c1) threads in (%c1, %c1, %c1) args(%a : memref<4xi8>, %r : memref<10xi8>, %f : memref<4xf16>)
  return
}
gpu.module @k {
  gpu.func @f(%a: memref<4xi8>, %r: memref<10xi8>, %f: memref<4xf16>) kernel {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %c3 = arith.constant 3 : index
    %c4 = arith.constant 4 : index
    %c5 = arith.constant 5 : index
    %c6 = arith.constant 6 : index
    %c7 = arith.constant 7 : index
    %c8 = arith.constant 8 : index
    %c9 = arith.constant 9 : index
    %m5 = memref.load %a[%c0] : memref<4xi8>
    %k3 = arith.constant 3 : i8
    %km3 = arith.constant -3 : i8
    %s, %carry = arith.addui_extended %m5, %k3 : i8, i1
    %q, %carry1 = arith.addui_extended %m5, %m5 : i8, i1
    %b = arith.extui %carry : i1 to i8
    %b1 = arith.extui %carry1 : i1 to i8
    memref.store %s, %r[%c0] : memref<10xi8>
    memref.store %b1, %r[%c1] : memref<10xi8>
    %neg = arith.constant 5 : i8
    memref.store %neg, %r[%c2] : memref<10xi8>
    memref.store %b, %r[%c3] : memref<10xi8>
    %ul, %uh = arith.mului_extended %m5, %k3 : i8
    %sl, %sh = arith.mulsi_extended %m5, %k3 : i8
    memref.store %ul, %r[%c4] : memref<10xi8>
    memref.store %uh, %r[%c5] : memref<10xi8>
    memref.store %sl, %r[%c6] : memref<10xi8>
    memref.store %sh, %r[%c7] : memref<10xi8>
    %p = math.ipowi %m5, %k3 : i8
    %n = math.ipowi %m5, %km3 : i8
    memref.store %p, %r[%c8] : memref<10xi8>
    memref.store %n, %r[%c9] : memref<10xi8>
    %zero = arith.constant 0.0 : f16
    %sin, %cos = math.sincos %zero : f16
    memref.store %sin, %f[%c0] : memref<4xf16>
    memref.store %cos, %f[%c1] : memref<4xf16>
    %x = arith.constant -7.0 : f16
    %low = arith.constant -1.5 : f16
    %high = arith.constant 2.0 : f16
    %clamped = math.clampf %x to [%low, %high] : f16
    memref.store %clamped, %f[%c2] : memref<4xf16>
    // 2^-14 is normal, half of it is not, though it would be as an f32.
    %least = arith.constant 6.103515625e-5 : f16
    %small = arith.constant 3.0517578125e-5 : f16
    %yes = math.isnormal %least : f16
    %no = math.isnormal %small : f16
    %v1 = arith.constant 0.25 : f16
    %v2 = arith.constant 0.5 : f16
    %v3 = arith.constant 0.75 : f16
    %inner = arith.select %no, %v1, %v3 : f16
    %t = arith.select %yes, %inner, %v2 : f16
    memref.store %t, %f[%c3] : memref<4xf16>
    gpu.return
  }
}
}
