// RUN: egg-opt %s --split-input-file --verify-diagnostics --egg-emulate-kernels="schedules=6 max-instructions=100000" -o /dev/null

// The barrier between a write and a read of another thread is missing.
module attributes {gpu.container_module} {
func.func @main(%a: memref<64xf32>) {
  %c1 = arith.constant 1 : index
  %g = arith.constant 1 : index
  %t = arith.constant 64 : index
  gpu.launch_func @k::@f blocks in (%g, %c1, %c1) threads in (%t, %c1, %c1) args(%a : memref<64xf32>)
  return
}
gpu.module @k {
  gpu.func @f(%a: memref<64xf32>) workgroup(%s: memref<64xf32, 3>) kernel {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c32 = arith.constant 32 : index
    %c64 = arith.constant 64 : index
    %one = arith.constant 1.0 : f32
    %t = gpu.thread_id x
    %b = gpu.block_id x
    %m = arith.subi %c64, %t : index
    %i = arith.subi %m, %c1 : index
    memref.store %one, %s[%t] : memref<64xf32, 3>
    // expected-error @below {{of workgroup memory 0, which}}
    %v = memref.load %s[%i] : memref<64xf32, 3>
    memref.store %v, %a[%t] : memref<64xf32>
    gpu.return
  }
}
}

// -----

// Lanes of one warp are not ordered either.
module attributes {gpu.container_module} {
func.func @main(%a: memref<64xf32>) {
  %c1 = arith.constant 1 : index
  %g = arith.constant 1 : index
  %t = arith.constant 32 : index
  gpu.launch_func @k::@f blocks in (%g, %c1, %c1) threads in (%t, %c1, %c1) args(%a : memref<64xf32>)
  return
}
gpu.module @k {
  gpu.func @f(%a: memref<64xf32>) workgroup(%s: memref<64xf32, 3>) kernel {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c32 = arith.constant 32 : index
    %c64 = arith.constant 64 : index
    %one = arith.constant 1.0 : f32
    %t = gpu.thread_id x
    %b = gpu.block_id x
    %i = arith.xori %t, %c1 : index
    memref.store %one, %s[%t] : memref<64xf32, 3>
    // expected-error @below {{reads byte 4 of workgroup memory 0, which was written by thread 1 of block 0 with nothing that orders the two}}
    %v = memref.load %s[%i] : memref<64xf32, 3>
    memref.store %v, %a[%t] : memref<64xf32>
    gpu.return
  }
}
}

// -----

// The second barrier of a loop is missing: the next pass writes what is being read.
module attributes {gpu.container_module} {
func.func @main(%a: memref<64xf32>) {
  %c1 = arith.constant 1 : index
  %g = arith.constant 1 : index
  %t = arith.constant 64 : index
  gpu.launch_func @k::@f blocks in (%g, %c1, %c1) threads in (%t, %c1, %c1) args(%a : memref<64xf32>)
  return
}
gpu.module @k {
  gpu.func @f(%a: memref<64xf32>) workgroup(%s: memref<64xf32, 3>) kernel {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c32 = arith.constant 32 : index
    %c64 = arith.constant 64 : index
    %one = arith.constant 1.0 : f32
    %t = gpu.thread_id x
    %b = gpu.block_id x
    %c2 = arith.constant 2 : index
    %m = arith.subi %c64, %t : index
    %i = arith.subi %m, %c1 : index
    scf.for %k = %c0 to %c2 step %c1 {
      memref.store %one, %s[%t] : memref<64xf32, 3>
      gpu.barrier
      // expected-error @below {{which was written by thread 31 of block 0 with nothing that orders the two}}
      %v = memref.load %s[%i] : memref<64xf32, 3>
      memref.store %v, %a[%t] : memref<64xf32>
    }
    gpu.return
  }
}
}

// -----

// Two threads write one element.
module attributes {gpu.container_module} {
func.func @main(%a: memref<64xf32>) {
  %c1 = arith.constant 1 : index
  %g = arith.constant 1 : index
  %t = arith.constant 64 : index
  gpu.launch_func @k::@f blocks in (%g, %c1, %c1) threads in (%t, %c1, %c1) args(%a : memref<64xf32>)
  return
}
gpu.module @k {
  gpu.func @f(%a: memref<64xf32>) kernel {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c32 = arith.constant 32 : index
    %c64 = arith.constant 64 : index
    %one = arith.constant 1.0 : f32
    %t = gpu.thread_id x
    %b = gpu.block_id x
    // expected-error @below {{writes byte 0 of argument 0, which was written by}}
    memref.store %one, %a[%c0] : memref<64xf32>
    gpu.return
  }
}
}

// -----

// Two blocks write one element.
module attributes {gpu.container_module} {
func.func @main(%a: memref<64xf32>) {
  %c1 = arith.constant 1 : index
  %g = arith.constant 2 : index
  %t = arith.constant 1 : index
  gpu.launch_func @k::@f blocks in (%g, %c1, %c1) threads in (%t, %c1, %c1) args(%a : memref<64xf32>)
  return
}
gpu.module @k {
  gpu.func @f(%a: memref<64xf32>) kernel {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c32 = arith.constant 32 : index
    %c64 = arith.constant 64 : index
    %one = arith.constant 1.0 : f32
    %t = gpu.thread_id x
    %b = gpu.block_id x
    // expected-error @below {{writes byte 0 of argument 0, which was written by thread 0 of block}}
    memref.store %one, %a[%c0] : memref<64xf32>
    gpu.return
  }
}
}

// -----

// A block reads what another writes, whatever the order in which they run.
module attributes {gpu.container_module} {
func.func @main(%a: memref<64xf32>) {
  %c1 = arith.constant 1 : index
  %g = arith.constant 2 : index
  %t = arith.constant 1 : index
  gpu.launch_func @k::@f blocks in (%g, %c1, %c1) threads in (%t, %c1, %c1) args(%a : memref<64xf32>)
  return
}
gpu.module @k {
  gpu.func @f(%a: memref<64xf32>) kernel {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c32 = arith.constant 32 : index
    %c64 = arith.constant 64 : index
    %one = arith.constant 1.0 : f32
    %t = gpu.thread_id x
    %b = gpu.block_id x
    %i = arith.subi %c1, %b : index
    %isOne = arith.cmpi eq, %b, %c1 : index
    scf.if %isOne {
      memref.store %one, %a[%c0] : memref<64xf32>
    } else {
      // expected-error @below {{argument 0, which was}}
      %v = memref.load %a[%c0] : memref<64xf32>
      memref.store %v, %a[%c1] : memref<64xf32>
    }
    gpu.return
  }
}
}

// -----

// Shared memory that nothing wrote.
module attributes {gpu.container_module} {
func.func @main(%a: memref<64xf32>) {
  %c1 = arith.constant 1 : index
  %g = arith.constant 1 : index
  %t = arith.constant 64 : index
  gpu.launch_func @k::@f blocks in (%g, %c1, %c1) threads in (%t, %c1, %c1) args(%a : memref<64xf32>)
  return
}
gpu.module @k {
  gpu.func @f(%a: memref<64xf32>) workgroup(%s: memref<64xf32, 3>) kernel {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c32 = arith.constant 32 : index
    %c64 = arith.constant 64 : index
    %one = arith.constant 1.0 : f32
    %t = gpu.thread_id x
    %b = gpu.block_id x
    // expected-error @below {{of workgroup memory 0, which nothing has written}}
    %v = memref.load %s[%t] : memref<64xf32, 3>
    memref.store %v, %a[%t] : memref<64xf32>
    gpu.return
  }
}
}

// -----

// One element behind the end.
module attributes {gpu.container_module} {
func.func @main(%a: memref<64xf32>) {
  %c1 = arith.constant 1 : index
  %g = arith.constant 1 : index
  %t = arith.constant 64 : index
  gpu.launch_func @k::@f blocks in (%g, %c1, %c1) threads in (%t, %c1, %c1) args(%a : memref<64xf32>)
  return
}
gpu.module @k {
  gpu.func @f(%a: memref<64xf32>) kernel {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c32 = arith.constant 32 : index
    %c64 = arith.constant 64 : index
    %one = arith.constant 1.0 : f32
    %t = gpu.thread_id x
    %b = gpu.block_id x
    %i = arith.addi %t, %c1 : index
    // expected-error @below {{thread 63 of block (0, 0, 0) accesses index 64 of dimension 0, which has 64}}
    memref.store %one, %a[%i] : memref<64xf32>
    gpu.return
  }
}
}

// -----

// A view of more than there is.
module attributes {gpu.container_module} {
func.func @main(%a: memref<64xf32>) {
  %c1 = arith.constant 1 : index
  %g = arith.constant 1 : index
  %t = arith.constant 1 : index
  gpu.launch_func @k::@f blocks in (%g, %c1, %c1) threads in (%t, %c1, %c1) args(%a : memref<64xf32>)
  return
}
gpu.module @k {
  gpu.func @f(%a: memref<64xf32>) kernel {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c32 = arith.constant 32 : index
    %c64 = arith.constant 64 : index
    %one = arith.constant 1.0 : f32
    %t = gpu.thread_id x
    %b = gpu.block_id x
    // expected-error @below {{thread 0 of block (0, 0, 0) views 33 elements from 32 with step 1 of dimension 0, which has 64}}
    %v = memref.subview %a[%c32] [33] [1] : memref<64xf32> to memref<33xf32, strided<[1], offset: ?>>
    memref.store %one, %v[%t] : memref<33xf32, strided<[1], offset: ?>>
    gpu.return
  }
}
}

// -----

// A reinterpretation beyond the buffer.
module attributes {gpu.container_module} {
func.func @main(%a: memref<64xf32>) {
  %c1 = arith.constant 1 : index
  %g = arith.constant 1 : index
  %t = arith.constant 8 : index
  gpu.launch_func @k::@f blocks in (%g, %c1, %c1) threads in (%t, %c1, %c1) args(%a : memref<64xf32>)
  return
}
gpu.module @k {
  gpu.func @f(%a: memref<64xf32>) kernel {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c32 = arith.constant 32 : index
    %c64 = arith.constant 64 : index
    %one = arith.constant 1.0 : f32
    %t = gpu.thread_id x
    %b = gpu.block_id x
    %v = memref.reinterpret_cast %a to offset: [60], sizes: [8], strides: [1] : memref<64xf32> to memref<8xf32, strided<[1], offset: 60>>
    // expected-error @below {{thread 4 of block (0, 0, 0) accesses bytes 256 to 259 of argument 0, which has 256}}
    memref.store %one, %v[%t] : memref<8xf32, strided<[1], offset: 60>>
    gpu.return
  }
}
}

// -----

// A vector access that is not aligned as it says.
module attributes {gpu.container_module} {
func.func @main(%a: memref<64xf32>) {
  %c1 = arith.constant 1 : index
  %g = arith.constant 1 : index
  %t = arith.constant 2 : index
  gpu.launch_func @k::@f blocks in (%g, %c1, %c1) threads in (%t, %c1, %c1) args(%a : memref<64xf32>)
  return
}
gpu.module @k {
  gpu.func @f(%a: memref<64xf32>) kernel {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c32 = arith.constant 32 : index
    %c64 = arith.constant 64 : index
    %one = arith.constant 1.0 : f32
    %t = gpu.thread_id x
    %b = gpu.block_id x
    %w = arith.constant dense<1.0> : vector<4xf32>
    // expected-error @below {{thread 1 of block (0, 0, 0) accesses byte 4 of argument 0, which is not aligned to the 16 bytes that the op states}}
    vector.store %w, %a[%t] {alignment = 16} : memref<64xf32>, vector<4xf32>
    gpu.return
  }
}
}

// -----

// A barrier in a branch that only some threads of a warp take.
module attributes {gpu.container_module} {
func.func @main(%a: memref<64xf32>) {
  %c1 = arith.constant 1 : index
  %g = arith.constant 1 : index
  %t = arith.constant 64 : index
  gpu.launch_func @k::@f blocks in (%g, %c1, %c1) threads in (%t, %c1, %c1) args(%a : memref<64xf32>)
  return
}
gpu.module @k {
  gpu.func @f(%a: memref<64xf32>) kernel {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c32 = arith.constant 32 : index
    %c64 = arith.constant 64 : index
    %one = arith.constant 1.0 : f32
    %t = gpu.thread_id x
    %b = gpu.block_id x
    %low = arith.cmpi ult, %t, %c1 : index
    scf.if %low {
      // expected-error @below {{thread 0 of block (0, 0, 0) is at a barrier that thread 1 of its warp is not at}}
      gpu.barrier
    }
    gpu.return
  }
}
}

// -----

// A barrier that only one of two warps reaches.
module attributes {gpu.container_module} {
func.func @main(%a: memref<64xf32>) {
  %c1 = arith.constant 1 : index
  %g = arith.constant 1 : index
  %t = arith.constant 64 : index
  gpu.launch_func @k::@f blocks in (%g, %c1, %c1) threads in (%t, %c1, %c1) args(%a : memref<64xf32>)
  return
}
gpu.module @k {
  gpu.func @f(%a: memref<64xf32>) kernel {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c32 = arith.constant 32 : index
    %c64 = arith.constant 64 : index
    %one = arith.constant 1.0 : f32
    %t = gpu.thread_id x
    %b = gpu.block_id x
    %low = arith.cmpi ult, %t, %c32 : index
    scf.if %low {
      // expected-error @below {{waits at a barrier that 1 of the block's 2 warps have ended without reaching}}
      gpu.barrier
    }
    gpu.return
  }
}
}

// -----

// A shuffle in a branch that only some lanes take.
module attributes {gpu.container_module} {
func.func @main(%a: memref<64xf32>) {
  %c1 = arith.constant 1 : index
  %g = arith.constant 1 : index
  %t = arith.constant 64 : index
  gpu.launch_func @k::@f blocks in (%g, %c1, %c1) threads in (%t, %c1, %c1) args(%a : memref<64xf32>)
  return
}
gpu.module @k {
  gpu.func @f(%a: memref<64xf32>) kernel {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c32 = arith.constant 32 : index
    %c64 = arith.constant 64 : index
    %one = arith.constant 1.0 : f32
    %t = gpu.thread_id x
    %b = gpu.block_id x
    %i1 = arith.constant 1 : i32
    %w = arith.constant 32 : i32
    %low = arith.cmpi ult, %t, %c1 : index
    scf.if %low {
      // expected-error @below {{shuffles while other threads of its warp do not}}
      %v, %p = gpu.shuffle xor %one, %i1, %w : f32
      memref.store %v, %a[%t] : memref<64xf32>
    }
    gpu.return
  }
}
}

// -----

// A shuffle from a lane that a block of 24 threads does not have.
module attributes {gpu.container_module} {
func.func @main(%a: memref<64xf32>) {
  %c1 = arith.constant 1 : index
  %g = arith.constant 1 : index
  %t = arith.constant 24 : index
  gpu.launch_func @k::@f blocks in (%g, %c1, %c1) threads in (%t, %c1, %c1) args(%a : memref<64xf32>)
  return
}
gpu.module @k {
  gpu.func @f(%a: memref<64xf32>) kernel {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c32 = arith.constant 32 : index
    %c64 = arith.constant 64 : index
    %one = arith.constant 1.0 : f32
    %t = gpu.thread_id x
    %b = gpu.block_id x
    %i8 = arith.constant 8 : i32
    %w = arith.constant 32 : i32
    // expected-error @below {{thread 16 of block (0, 0, 0) shuffles from lane 24, which its warp does not have}}
    %v, %p = gpu.shuffle xor %one, %i8, %w : f32
    memref.store %v, %a[%t] : memref<64xf32>
    gpu.return
  }
}
}

// -----

// A kernel that does not end.
module attributes {gpu.container_module} {
func.func @main(%a: memref<64xf32>) {
  %c1 = arith.constant 1 : index
  %g = arith.constant 1 : index
  %t = arith.constant 1 : index
  gpu.launch_func @k::@f blocks in (%g, %c1, %c1) threads in (%t, %c1, %c1) args(%a : memref<64xf32>)
  return
}
gpu.module @k {
  gpu.func @f(%a: memref<64xf32>) kernel {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c32 = arith.constant 32 : index
    %c64 = arith.constant 64 : index
    %one = arith.constant 1.0 : f32
    %t = gpu.thread_id x
    %b = gpu.block_id x
    %true = arith.constant true
    // expected-error @below {{has not ended after 100000 instructions of all warps, the emulator's limit}}
    scf.while : () -> () {
      scf.condition(%true)
    } do {
      scf.yield
    }
    gpu.return
  }
}
}

// -----

// A flag that no thread sets: the loop spins, the limit ends it.
module attributes {gpu.container_module} {
func.func @main(%a: memref<64xf32>) {
  %c1 = arith.constant 1 : index
  %g = arith.constant 1 : index
  %t = arith.constant 1 : index
  gpu.launch_func @k::@f blocks in (%g, %c1, %c1) threads in (%t, %c1, %c1) args(%a : memref<64xf32>)
  return
}
gpu.module @k {
  gpu.func @f(%a: memref<64xf32>) kernel {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c32 = arith.constant 32 : index
    %c64 = arith.constant 64 : index
    %one = arith.constant 1.0 : f32
    %t = gpu.thread_id x
    %b = gpu.block_id x
    %old = arith.constant 0.0 : f32
    // expected-error @below {{has not ended after 100000 instructions}}
    scf.while : () -> () {
      %v = memref.load %a[%c0] : memref<64xf32>
      %go = arith.cmpf one, %v, %old : f32
      scf.condition(%go)
    } do {
      scf.yield
    }
    gpu.return
  }
}
}

// -----

// A division by zero.
module attributes {gpu.container_module} {
func.func @main(%a: memref<64xf32>) {
  %c1 = arith.constant 1 : index
  %g = arith.constant 1 : index
  %t = arith.constant 64 : index
  gpu.launch_func @k::@f blocks in (%g, %c1, %c1) threads in (%t, %c1, %c1) args(%a : memref<64xf32>)
  return
}
gpu.module @k {
  gpu.func @f(%a: memref<64xf32>) kernel {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c32 = arith.constant 32 : index
    %c64 = arith.constant 64 : index
    %one = arith.constant 1.0 : f32
    %t = gpu.thread_id x
    %b = gpu.block_id x
    %n = arith.subi %t, %t : index
    // expected-error @below {{thread 0 of block (0, 0, 0) divides an integer by zero}}
    %q = arith.divui %t, %n : index
    memref.store %one, %a[%q] : memref<64xf32>
    gpu.return
  }
}
}

// -----

// A device malloc.
module attributes {gpu.container_module} {
func.func @main(%a: memref<64xf32>) {
  %c1 = arith.constant 1 : index
  %g = arith.constant 1 : index
  %t = arith.constant 64 : index
  gpu.launch_func @k::@f blocks in (%g, %c1, %c1) threads in (%t, %c1, %c1) args(%a : memref<64xf32>)
  return
}
gpu.module @k {
  gpu.func @f(%a: memref<64xf32>) kernel {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c32 = arith.constant 32 : index
    %c64 = arith.constant 64 : index
    %one = arith.constant 1.0 : f32
    %t = gpu.thread_id x
    %b = gpu.block_id x
    // expected-error @below {{allocates in a kernel, which would call a device malloc for each thread}}
    %m = memref.alloc() : memref<4xf32>
    memref.store %one, %m[%c0] : memref<4xf32>
    gpu.return
  }
}
}

// -----

// An op that the emulator does not know.
module attributes {gpu.container_module} {
func.func @main(%a: memref<64xf32>) {
  %c1 = arith.constant 1 : index
  %g = arith.constant 1 : index
  %t = arith.constant 64 : index
  gpu.launch_func @k::@f blocks in (%g, %c1, %c1) threads in (%t, %c1, %c1) args(%a : memref<64xf32>)
  return
}
gpu.module @k {
  gpu.func @f(%a: memref<64xf32>) kernel {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c32 = arith.constant 32 : index
    %c64 = arith.constant 64 : index
    %one = arith.constant 1.0 : f32
    %t = gpu.thread_id x
    %b = gpu.block_id x
    // expected-error @below {{is not an op that the emulator runs}}
    gpu.printf "%d\n", %t : index
    gpu.return
  }
}
}

// -----

// A vector indexed at run time would go to local memory.
module attributes {gpu.container_module} {
func.func @main(%a: memref<64xf32>) {
  %c1 = arith.constant 1 : index
  %g = arith.constant 1 : index
  %t = arith.constant 64 : index
  gpu.launch_func @k::@f blocks in (%g, %c1, %c1) threads in (%t, %c1, %c1) args(%a : memref<64xf32>)
  return
}
gpu.module @k {
  gpu.func @f(%a: memref<64xf32>) kernel {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c32 = arith.constant 32 : index
    %c64 = arith.constant 64 : index
    %one = arith.constant 1.0 : f32
    %t = gpu.thread_id x
    %b = gpu.block_id x
    %w = arith.constant dense<1.0> : vector<4xf32>
    // expected-error @below {{has a position known only at run time}}
    %e = vector.extract %w[%t] : f32 from vector<4xf32>
    memref.store %e, %a[%t] : memref<64xf32>
    gpu.return
  }
}
}

// -----

// Dynamic shared memory that the launch does not give.
module attributes {gpu.container_module} {
func.func @main(%a: memref<64xf32>) {
  %c1 = arith.constant 1 : index
  %g = arith.constant 1 : index
  %t = arith.constant 64 : index
  gpu.launch_func @k::@f blocks in (%g, %c1, %c1) threads in (%t, %c1, %c1) args(%a : memref<64xf32>)
  return
}
gpu.module @k {
  gpu.func @f(%a: memref<64xf32>) kernel {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c32 = arith.constant 32 : index
    %c64 = arith.constant 64 : index
    %one = arith.constant 1.0 : f32
    %t = gpu.thread_id x
    %b = gpu.block_id x
    // expected-error @below {{uses dynamic shared memory, but the launch gives none}}
    %m = gpu.dynamic_shared_memory : memref<?xi8, #gpu.address_space<workgroup>>
    gpu.return
  }
}
}

// -----

// More threads than a block can have.
module attributes {gpu.container_module} {
func.func @main(%a: memref<64xf32>) {
  %c1 = arith.constant 1 : index
  %g = arith.constant 1 : index
  %t = arith.constant 1025 : index
  // expected-error @below {{launches 1 blocks of 1025 threads in dimension 0; the limits are 1 to 2147483647 and 1 to 1024}}
  gpu.launch_func @k::@f blocks in (%g, %c1, %c1) threads in (%t, %c1, %c1) args(%a : memref<64xf32>)
  return
}
gpu.module @k {
  gpu.func @f(%a: memref<64xf32>) kernel {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c32 = arith.constant 32 : index
    %c64 = arith.constant 64 : index
    %one = arith.constant 1.0 : f32
    %t = gpu.thread_id x
    %b = gpu.block_id x
    gpu.return
  }
}
}

// -----

// No block at all.
module attributes {gpu.container_module} {
func.func @main(%a: memref<64xf32>) {
  %c1 = arith.constant 1 : index
  %g = arith.constant 0 : index
  %t = arith.constant 64 : index
  // expected-error @below {{launches 0 blocks of 64 threads in dimension 0}}
  gpu.launch_func @k::@f blocks in (%g, %c1, %c1) threads in (%t, %c1, %c1) args(%a : memref<64xf32>)
  return
}
gpu.module @k {
  gpu.func @f(%a: memref<64xf32>) kernel {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c32 = arith.constant 32 : index
    %c64 = arith.constant 64 : index
    %one = arith.constant 1.0 : f32
    %t = gpu.thread_id x
    %b = gpu.block_id x
    gpu.return
  }
}
}

// -----

// More memory than the limit.
module attributes {gpu.container_module} {
func.func @main(%a: memref<64xf32>) {
  %c1 = arith.constant 1 : index
  %g = arith.constant 1 : index
  %t = arith.constant 64 : index
  // expected-error @below {{needs 4294967296 bytes beside 256 in use; the emulator's limit is 1073741824}}
  %big = memref.alloc() : memref<1073741824xf32>
  gpu.launch_func @k::@f blocks in (%g, %c1, %c1) threads in (%t, %c1, %c1) args(%a : memref<64xf32>)
  return
}
gpu.module @k {
  gpu.func @f(%a: memref<64xf32>) kernel {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c32 = arith.constant 32 : index
    %c64 = arith.constant 64 : index
    %one = arith.constant 1.0 : f32
    %t = gpu.thread_id x
    %b = gpu.block_id x
    gpu.return
  }
}
}

// -----

// Results that depend on which block came last.
module attributes {gpu.container_module} {
// expected-error @below {{they depend on the order of blocks and warps}}
func.func @main(%a: memref<64xf32>) {
  %c1 = arith.constant 1 : index
  %g = arith.constant 8 : index
  %t = arith.constant 1 : index
  gpu.launch_func @k::@f blocks in (%g, %c1, %c1) threads in (%t, %c1, %c1) args(%a : memref<64xf32>)
  return
}
gpu.module @k {
  gpu.func @f(%a: memref<64xf32>) kernel {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c32 = arith.constant 32 : index
    %c64 = arith.constant 64 : index
    %one = arith.constant 1.0 : f32
    %t = gpu.thread_id x
    %b = gpu.block_id x
    %zero = arith.constant 0.0 : f32
    %v = memref.atomic_rmw assign %one, %a[%c0] : (f32, memref<64xf32>) -> f32
    %mine = arith.addi %b, %c1 : index
    memref.store %v, %a[%mine] : memref<64xf32>
    gpu.return
  }
}
}

// -----

// An index beyond what its module says that it has.
module attributes {gpu.container_module} {
func.func @main(%a: memref<64xf32>) {
  %c1 = arith.constant 1 : index
  gpu.launch_func @k::@f blocks in (%c1, %c1, %c1) threads in (%c1, %c1, %c1) args(%a : memref<64xf32>)
  return
}
gpu.module @k attributes {egg.index_bits = 32 : i64} {
  gpu.func @f(%a: memref<64xf32>) kernel {
    %big = arith.constant 2147483647 : index
    %c1 = arith.constant 1 : index
    // expected-error @below {{computes the index 2147483648, which does not fit the 32 bits that egg.index_bits gives}}
    %n = arith.addi %big, %c1 : index
    gpu.return
  }
}
}
