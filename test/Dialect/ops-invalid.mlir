// RUN: egg-opt %s -split-input-file -verify-diagnostics

func.func @f(%a: tensor<64xf16>) {
  // expected-error@+1 {{keeps shape and element type, and 'tensor<64xf16>' is not 'tensor<64xf32>' but for the encoding}}
  %0 = egg.place %a to shared : tensor<64xf16> -> tensor<64xf32>
  return
}

// -----

func.func @f(%a: tensor<64xf16>) {
  // expected-error@+1 {{has depth = 0, which must be from 1 to 64}}
  %0 = egg.place %a to shared depth = 0 : tensor<64xf16>
  return
}

// -----

func.func @f(%a: tensor<64xf16>) {
  // expected-error@+1 {{to registers has a 'swizzle', which only a value in shared memory has; give it a layout}}
  %0 = egg.place %a to registers swizzle = 128 : tensor<64xf16>
  return
}

// -----

func.func @f(%a: tensor<64xf16>) {
  // expected-error@+1 {{to registers has a 'pitch', which only a value in shared memory has; give it a layout}}
  %0 = egg.place %a to registers pitch = 128 : tensor<64xf16>
  return
}

// -----

func.func @f(%a: tensor<64xf16>) {
  // expected-error@+1 {{to registers has copy = tma, which copies into shared memory; use auto or ld}}
  %0 = egg.place %a to registers copy = tma : tensor<64xf16>
  return
}

// -----

func.func @f(%a: tensor<64xf16>) {
  // expected-error@+1 {{dimension 0 of 64 elements needs a hull of 64, not 32}}
  %0 = egg.place %a to registers layout = <[32]> : tensor<64xf16>
  return
}

// -----

func.func @f(%a: tensor<64xf16>) {
  // expected-error@+1 {{has a layout that is not the encoding of its result}}
  %0 = egg.place %a to registers layout = <[64]> : tensor<64xf16> -> tensor<64xf16, #egg.layout<[64], register = [[1]]>>
  return
}

// -----

func.func @f(%a: tensor<64xf16>) {
  // expected-error@+1 {{to shared memory has a layout, which only a value in registers has; give it a swizzle or a pitch}}
  %0 = egg.place %a to shared layout = <[64]> : tensor<64xf16>
  return
}

// -----

func.func @f(%a: tensor<64xf16>) {
  // expected-error@+1 {{has swizzle = 48, which must be 0, 32, 64 or 128 bytes}}
  %0 = egg.place %a to shared swizzle = 48 : tensor<64xf16>
  return
}

// -----

func.func @f(%a: tensor<8x64xf16>) {
  // expected-error@+1 {{has pitch = 63 elements for rows of 64 elements}}
  %0 = egg.place %a to shared pitch = 63 : tensor<8x64xf16>
  return
}

// -----

func.func @f(%a: tensor<8x?xf16>) {
  // expected-error@+1 {{has pitch = 0 elements for rows of a dynamic number of elements}}
  %0 = egg.place %a to shared pitch = 0 : tensor<8x?xf16>
  return
}

// -----

func.func @f(%a: tensor<f16>) {
  // expected-error@+1 {{has a pitch, and a tensor of rank 0 has no rows}}
  %0 = egg.place %a to shared pitch = 4 : tensor<f16>
  return
}

// -----

func.func @f(%x: tensor<8x8xf32>, %i: index) {
  // expected-error@+1 {{has a map of 1 dimensions for a result of rank 2}}
  %0 = egg.read %x[%i] map = affine_map<(d0)[s0] -> (s0, d0)> : tensor<8x8xf32> -> tensor<4x4xf32>
  return
}

// -----

func.func @f(%x: tensor<8x8xf32>, %i: index) {
  // expected-error@+1 {{has a map of 1 symbols for 2 offsets and 0 index tensors}}
  %0 = egg.read %x[%i, %i] map = affine_map<(d0)[s0] -> (s0, d0)> : tensor<8x8xf32> -> tensor<4xf32>
  return
}

// -----

func.func @f(%x: tensor<8x8xf32>, %i: index) {
  // expected-error@+1 {{has a map of 1 results for a source of rank 2}}
  %0 = egg.read %x[%i] map = affine_map<(d0)[s0] -> (s0 + d0)> : tensor<8x8xf32> -> tensor<4xf32>
  return
}

// -----

func.func @f(%x: tensor<8xf32>, %i: index) {
  // expected-error@+1 {{has a result of 'f16' and a source of 'f32'}}
  %0 = egg.read %x[%i] map = affine_map<(d0)[s0] -> (s0 + d0)> : tensor<8xf32> -> tensor<4xf16>
  return
}

// -----

func.func @f(%x: tensor<8xf32>, %i: index) {
  // expected-error@+1 {{has 0 sizes for 1 dynamic extents}}
  %0 = egg.read %x[%i] map = affine_map<(d0)[s0] -> (s0 + d0)> : tensor<8xf32> -> tensor<?xf32>
  return
}

// -----

func.func @f(%x: tensor<8xf32>, %i: index, %z: f64) {
  // expected-error@+1 {{has a fill of 'f64' for elements of 'f32'}}
  %0 = egg.read %x[%i] fill (%z : f64) map = affine_map<(d0)[s0] -> (s0 + d0)> : tensor<8xf32> -> tensor<4xf32>
  return
}

// -----

func.func @f(%x: tensor<8xf32>, %ids: tensor<4xf32>) {
  // expected-error@+1 {{has index tensor 0 of 'f32', which must be integers}}
  %0 = egg.read %x[] gather (%ids : tensor<4xf32>) by [affine_map<(d0) -> (d0)>] map = affine_map<(d0)[s0] -> (s0)> : tensor<8xf32> -> tensor<4xf32>
  return
}

// -----

func.func @f(%x: tensor<8xf32>, %ids: tensor<4xi32>) {
  // expected-error@+1 {{has map 0 of 'by' from 1 dimensions and 0 symbols to 2 results; it must go from the 1 dimensions of the result to the 1 of the index tensor}}
  %0 = egg.read %x[] gather (%ids : tensor<4xi32>) by [affine_map<(d0) -> (d0, d0)>] map = affine_map<(d0)[s0] -> (s0)> : tensor<8xf32> -> tensor<4xf32>
  return
}

// -----

func.func @f(%x: tensor<8xf32>, %ids: tensor<4xi32>) {
  // expected-error@+1 {{has 1 index tensors and 2 maps for them}}
  %0 = egg.read %x[] gather (%ids : tensor<4xi32>) by [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>] map = affine_map<(d0)[s0] -> (s0)> : tensor<8xf32> -> tensor<4xf32>
  return
}

// -----

func.func @f(%x: tensor<8xf32>, %o: tensor<8xf32>, %i: index) {
  // expected-error@+1 {{must stand in the in_parallel of a grid loop}}
  egg.write %x into %o[%i] map = affine_map<(d0)[s0] -> (s0 + d0)> : tensor<8xf32> into tensor<8xf32>
  return
}

// -----

func.func @f(%x: tensor<8xf32>, %e: tensor<8xf32>) -> tensor<8xf32> {
  %r = scf.forall (%i) in (1) shared_outs(%o = %e) -> (tensor<8xf32>) {
    scf.forall.in_parallel {
      // expected-error@+1 {{may only insert into an output block argument}}
      egg.write %x into %e[%i] map = affine_map<(d0)[s0] -> (s0 + d0)> : tensor<8xf32> into tensor<8xf32>
    }
  }
  return %r : tensor<8xf32>
}

// -----

func.func @f(%x: tensor<8xf32>, %e: tensor<8xf32>) -> tensor<8xf32> {
  %r = scf.forall (%i) in (1) shared_outs(%o = %e) -> (tensor<8xf32>) {
    scf.forall.in_parallel {
      // expected-error@+1 {{has a map of 2 results for a destination of rank 1}}
      egg.write %x into %o[%i] map = affine_map<(d0)[s0] -> (s0, d0)> : tensor<8xf32> into tensor<8xf32>
    }
  }
  return %r : tensor<8xf32>
}

// -----

func.func @f(%x: tensor<8xf32>, %e: tensor<8xf32>) -> tensor<8xf32> {
  %r = scf.forall (%i) in (1) shared_outs(%o = %e) -> (tensor<8xf32>) {
    scf.forall.in_parallel {
      // expected-error@+1 {{combines elements of 'f32' by and, which is for integers}}
      egg.write %x into %o[%i] combine = and map = affine_map<(d0)[s0] -> (s0 + d0)> : tensor<8xf32> into tensor<8xf32>
    }
  }
  return %r : tensor<8xf32>
}

// -----

func.func @f(%x: tensor<8xcomplex<f32>>, %e: tensor<8xcomplex<f32>>) -> tensor<8xcomplex<f32>> {
  %r = scf.forall (%i) in (1) shared_outs(%o = %e) -> (tensor<8xcomplex<f32>>) {
    scf.forall.in_parallel {
      // expected-error@+1 {{combines elements of 'complex<f32>', which must be floats or integers}}
      egg.write %x into %o[%i] combine = add map = affine_map<(d0)[s0] -> (s0 + d0)> : tensor<8xcomplex<f32>> into tensor<8xcomplex<f32>>
    }
  }
  return %r : tensor<8xcomplex<f32>>
}

// -----

func.func @f(%x: tensor<8xf32>, %ids: tensor<8xi32>, %e: tensor<8xf32>) -> tensor<8xf32> {
  %r = scf.forall (%i) in (1) shared_outs(%o = %e) -> (tensor<8xf32>) {
    scf.forall.in_parallel {
      // expected-error@+1 {{with index tensors cannot take path = tma_reduce, which writes boxes; use direct or staged}}
      egg.write %x into %o[] scatter (%ids : tensor<8xi32>) by [affine_map<(d0) -> (d0)>] combine = add path = tma_reduce map = affine_map<(d0)[s0] -> (s0)> : tensor<8xf32> into tensor<8xf32>
    }
  }
  return %r : tensor<8xf32>
}

// -----

func.func @f(%x: tensor<8xf32>, %e: tensor<8xf32>) -> tensor<8xf32> {
  %r = scf.forall (%i) in (1) shared_outs(%o = %e) -> (tensor<8xf32>) {
    scf.forall.in_parallel {
      // expected-error@+1 {{with combine = add cannot take path = tma, which replaces; use tma_reduce or direct}}
      egg.write %x into %o[%i] combine = add path = tma map = affine_map<(d0)[s0] -> (s0 + d0)> : tensor<8xf32> into tensor<8xf32>
    }
  }
  return %r : tensor<8xf32>
}

// -----

func.func @f(%x: tensor<8xf32>, %e: tensor<8xf32>) -> tensor<8xf32> {
  %r = scf.forall (%i) in (1) shared_outs(%o = %e) -> (tensor<8xf32>) {
    scf.forall.in_parallel {
      // expected-error@+1 {{with path = tma_reduce must combine}}
      egg.write %x into %o[%i] path = tma_reduce map = affine_map<(d0)[s0] -> (s0 + d0)> : tensor<8xf32> into tensor<8xf32>
    }
  }
  return %r : tensor<8xf32>
}

// -----

func.func @f(%x: tensor<8xf32>) {
  // expected-error@+1 {{goes along dim = 1, and its inputs have rank 1}}
  %s, %t = egg.scan %x dim = 1 {
    ^bb0(%a: f32, %b: f32):
      egg.yield %a : f32
  } : tensor<8xf32> -> tensor<8xf32>, tensor<f32>
  return
}

// -----

func.func @f(%x: tensor<8xf32>, %y: tensor<9xf32>) {
  // expected-error@+1 {{has inputs of two shapes, 'tensor<8xf32>' and 'tensor<9xf32>'}}
  %s:4 = egg.scan %x, %y dim = 0 {
    ^bb0(%a: f32, %b: f32, %c: f32, %d: f32):
      egg.yield %a, %b : f32, f32
  } : tensor<8xf32>, tensor<9xf32> -> tensor<8xf32>, tensor<9xf32>, tensor<f32>, tensor<f32>
  return
}

// -----

func.func @f(%x: tensor<8xf32>) {
  // expected-error@+1 {{gives 'tensor<9xf32>' for an input of 'tensor<8xf32>'}}
  %s, %t = egg.scan %x dim = 0 {
    ^bb0(%a: f32, %b: f32):
      egg.yield %a : f32
  } : tensor<8xf32> -> tensor<9xf32>, tensor<f32>
  return
}

// -----

func.func @f(%x: tensor<8xf32>) {
  // expected-error@+1 {{gives a total of 'tensor<8xf32>' for an input of 'tensor<8xf32>' along dim = 0}}
  %s, %t = egg.scan %x dim = 0 {
    ^bb0(%a: f32, %b: f32):
      egg.yield %a : f32
  } : tensor<8xf32> -> tensor<8xf32>, tensor<8xf32>
  return
}

// -----

func.func @f(%x: tensor<8xf32>) {
  // expected-error@+1 {{has 1 inputs, and 2 scanned results}}
  %s:4 = egg.scan %x dim = 0 {
    ^bb0(%a: f32, %b: f32):
      egg.yield %a : f32
  } : tensor<8xf32> -> tensor<8xf32>, tensor<8xf32>, tensor<f32>, tensor<f32>
  return
}

// -----

func.func @f(%x: tensor<8xf32>) {
  // expected-error@+1 {{has a combiner of 1 arguments for 1 inputs; it takes an earlier and a later value of each}}
  %s, %t = egg.scan %x dim = 0 {
    ^bb0(%a: f32):
      egg.yield %a : f32
  } : tensor<8xf32> -> tensor<8xf32>, tensor<f32>
  return
}

// -----

func.func @f(%x: tensor<8xf32>) {
  // expected-error@+1 {{has a combiner whose argument 1 is 'f64', not 'f32'}}
  %s, %t = egg.scan %x dim = 0 {
    ^bb0(%a: f32, %b: f64):
      egg.yield %a : f32
  } : tensor<8xf32> -> tensor<8xf32>, tensor<f32>
  return
}

// -----

func.func @f(%x: tensor<8xf32>) {
  %s, %t = egg.scan %x dim = 0 {
    ^bb0(%a: f32, %b: f32):
      // expected-error@+1 {{gives 2 values; the scan combines 1 of its inputs' element types}}
      egg.yield %a, %b : f32, f32
  } : tensor<8xf32> -> tensor<8xf32>, tensor<f32>
  return
}

// -----

func.func @f(%x: tensor<8xf32>) {
  // expected-error@+1 {{is exclusive and needs neutral values, which its combiner does not tell; give 'neutral'}}
  %s, %t = egg.scan %x dim = 0 exclusive {
    ^bb0(%a: f32, %b: f32):
      %c = arith.mulf %a, %a : f32
      %d = arith.addf %c, %b : f32
      egg.yield %d : f32
  } : tensor<8xf32> -> tensor<8xf32>, tensor<f32>
  return
}

// -----

func.func @f(%x: tensor<0xf32>) {
  // expected-error@+1 {{goes along an empty dimension and needs neutral values, which its combiner does not tell; give 'neutral'}}
  %s, %t = egg.scan %x dim = 0 {
    ^bb0(%a: f32, %b: f32):
      egg.yield %b : f32
  } : tensor<0xf32> -> tensor<0xf32>, tensor<f32>
  return
}

// -----

func.func @f(%x: tensor<8xf32>) {
  // expected-error@+1 {{has 2 neutral values for 1 inputs}}
  %s, %t = egg.scan %x dim = 0 neutral = [0.0 : f32, 0.0 : f32] {
    ^bb0(%a: f32, %b: f32):
      egg.yield %a : f32
  } : tensor<8xf32> -> tensor<8xf32>, tensor<f32>
  return
}

// -----

func.func @f(%x: tensor<8xf32>) {
  // expected-error@+1 {{has neutral value 0 : i32 for elements of 'f32'}}
  %s, %t = egg.scan %x dim = 0 neutral = [0 : i32] {
    ^bb0(%a: f32, %b: f32):
      egg.yield %a : f32
  } : tensor<8xf32> -> tensor<8xf32>, tensor<f32>
  return
}
