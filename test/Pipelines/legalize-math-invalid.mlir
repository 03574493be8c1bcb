// RUN: egg-opt %s --split-input-file --verify-diagnostics --pass-pipeline='builtin.module(gpu.module(egg-legalize-math{max-vector-elements=16}))'

gpu.module @kernels {
  gpu.func @f8(%x: f8E4M3FN) {
    // expected-error @+1 {{computes in 'f8E4M3FN'; kernels compute in f64, f32, f16 and bf16}}
    %0 = arith.addf %x, %x : f8E4M3FN
    gpu.return
  }
}

// -----

gpu.module @kernels {
  gpu.func @wide(%x: i128) {
    // expected-error @+1 {{computes in 'i128'; kernels compute in integers of at most 64 bits}}
    %0 = arith.addi %x, %x : i128
    gpu.return
  }
}

// -----

gpu.module @kernels {
  gpu.func @rounding(%x: f64) {
    // expected-error @+1 {{rounds toward_zero; kernels round to_nearest_even}}
    %0 = arith.truncf %x toward_zero : f64 to f32
    gpu.return
  }
}

// -----

gpu.module @kernels {
  gpu.func @long(%x: vector<17xf32>) {
    // expected-error @+1 {{would be unrolled over the 17 elements of 'vector<17xf32>'; the limit is 16: use smaller vectors}}
    %0 = math.exp %x : vector<17xf32>
    gpu.return
  }
}

// -----

gpu.module @kernels {
  gpu.func @tensor(%x: tensor<4xf32>) {
    // expected-error @+1 {{works on a tensor inside a kernel; lower it to scalars or vectors first}}
    %0 = math.exp %x : tensor<4xf32>
    gpu.return
  }
}

// -----

// expected-error @+1 {{attribute egg.index_bits is 16 : i64; it must be the integer 32 or 64}}
gpu.module @kernels attributes {egg.index_bits = 16} {
}

// -----

gpu.module @kernels {
  // expected-error @+1 {{the name __nv_expf is kept for the device library; rename it}}
  gpu.func @__nv_expf(%x: f32) {
    gpu.return
  }
}
