// RUN: egg-opt %s --split-input-file --verify-diagnostics --pass-pipeline='builtin.module(gpu.module(egg-verify-kernels))'

gpu.module @kernels {
  gpu.func @alloc() kernel {
    // expected-error @+1 {{would call malloc in every thread; allocate on the host or in workgroup memory}}
    %0 = memref.alloc() : memref<4xf32>
    gpu.return
  }
}

// -----

gpu.module @kernels {
  gpu.func @alloca() kernel {
    // expected-error @+1 {{in workgroup memory would become local memory; use a workgroup attribution of the kernel}}
    %0 = memref.alloca() : memref<4xf32, #gpu.address_space<workgroup>>
    gpu.return
  }
}

// -----

gpu.module @kernels {
  // expected-error @+1 {{has parameter 0 of type 'memref<?xf32>'; a kernel takes memrefs of static shape and identity layout, and scalars of type index, i32 and i64}}
  gpu.func @dynamic(%x: memref<?xf32>) kernel {
    gpu.return
  }
}

// -----

gpu.module @kernels attributes {egg.index_bits = 32} {
  // expected-error @+1 {{with 2147483648 elements where egg.index_bits is 32; use 64}}
  gpu.func @large(%x: memref<2147483648xi8>) kernel {
    gpu.return
  }
}

// -----

gpu.module @kernels {
  // expected-error @+1 {{whose element count is above 2^63}}
  gpu.func @huge(%x: memref<4294967296x4294967296xi8>) kernel {
    gpu.return
  }
}

// -----

gpu.module @kernels {
  // expected-error @+1 {{has 49156 bytes of static workgroup memory; at most 49152 can be launched: use dynamic workgroup memory}}
  gpu.func @shared() workgroup(%s: memref<12289xf32, #gpu.address_space<workgroup>>) kernel {
    gpu.return
  }
}

// -----

gpu.module @kernels {
  gpu.func @print(%x: i32) kernel {
    // expected-error @+1 {{would call a function of the driver; remove it}}
    gpu.printf "%d", %x : i32
    gpu.return
  }
}

// -----

gpu.module @kernels {
  gpu.func @bits(%x: memref<8xi1>) kernel {
    %i = gpu.thread_id x
    // expected-error @+1 {{accesses vectors of i1, which would pack eight to a byte; keep booleans in memory as i8}}
    %0 = vector.load %x[%i] : memref<8xi1>, vector<8xi1>
    gpu.return
  }
}

// -----

gpu.module @kernels {
  gpu.func @foreign(%x: memref<4xf32>, %y: memref<4xf32>) kernel {
    // expected-error @+1 {{is of the dialect linalg, which kernels do not hold; lower it first}}
    linalg.copy ins(%x : memref<4xf32>) outs(%y : memref<4xf32>)
    gpu.return
  }
}

// -----

gpu.module @kernels {
  // expected-error @+1 {{has a name that PTX cannot keep}}
  gpu.func @"a-b"() kernel {
    gpu.return
  }
}
