// RUN: egg-opt %s --split-input-file --verify-diagnostics --egg-assign-layouts --egg-lower-block-program -o /dev/null

#id = affine_map<(d0) -> (d0)>
#at = affine_map<(d0)[s0] -> (s0 + d0)>
func.func @main(%x: tensor<1024xf32>) -> tensor<1024xf32> {
  %init = tensor.empty() : tensor<1024xf32>
  %z = arith.constant 0.0 : f32
  // expected-error @below {{the lowering takes linear order, one tile a block}}
  %r = scf.forall (%i) = (0) to (1024) step (256) shared_outs(%o = %init) -> (tensor<1024xf32>) {
    %t = egg.read %x[%i] map = #at : tensor<1024xf32> -> tensor<256xf32>
    scf.forall.in_parallel {
      egg.write %t into %o[%i] map = #at : tensor<256xf32> into tensor<1024xf32>
    }
  } {egg.grid = #egg.grid<persistent, threads = 64>}
  return %r : tensor<1024xf32>
}

// -----

#id = affine_map<(d0) -> (d0)>
#at = affine_map<(d0)[s0] -> (s0 + d0)>
func.func @main(%x: tensor<1024xf32>) -> tensor<1024xf32> {
  %init = tensor.empty() : tensor<1024xf32>
  %z = arith.constant 0.0 : f32
  // expected-error @below {{has blocks of 96 threads; the lowering takes powers of two from 32 to 1024}}
  %r = scf.forall (%i) = (0) to (1024) step (256) shared_outs(%o = %init) -> (tensor<1024xf32>) {
    %t = egg.read %x[%i] map = #at : tensor<1024xf32> -> tensor<256xf32>
    scf.forall.in_parallel {
      egg.write %t into %o[%i] map = #at : tensor<256xf32> into tensor<1024xf32>
    }
  } {egg.grid = #egg.grid<threads = 96>}
  return %r : tensor<1024xf32>
}

// -----

#id = affine_map<(d0) -> (d0)>
#at = affine_map<(d0)[s0] -> (s0 + d0)>
func.func @main(%x: tensor<1024xf32>) -> tensor<1024xf32> {
  %init = tensor.empty() : tensor<1024xf32>
  %z = arith.constant 0.0 : f32
  %r = scf.forall (%i) = (0) to (1024) step (256) shared_outs(%o = %init) -> (tensor<1024xf32>) {
    %s = egg.read %x[%i] map = #at : tensor<1024xf32> -> tensor<256xf32>
    // expected-error @below {{copies by tma; the lowering loads and stores}}
    %p = egg.place %s to shared copy = tma : tensor<256xf32>
    %t = egg.read %x[%i] map = #at : tensor<1024xf32> -> tensor<256xf32>
    scf.forall.in_parallel {
      egg.write %t into %o[%i] map = #at : tensor<256xf32> into tensor<1024xf32>
    }
  } {egg.grid = #egg.grid<threads = 64>}
  return %r : tensor<1024xf32>
}

// -----

#id = affine_map<(d0) -> (d0)>
#at = affine_map<(d0)[s0] -> (s0 + d0)>
func.func @main(%x: tensor<1024xf32>) -> tensor<1024xf32> {
  %init = tensor.empty() : tensor<1024xf32>
  %z = arith.constant 0.0 : f32
  %r = scf.forall (%i) = (0) to (1024) step (256) shared_outs(%o = %init) -> (tensor<1024xf32>) {
    %t = egg.read %x[%i] map = #at : tensor<1024xf32> -> tensor<256xf32>
    // expected-error @below {{is not an op that the lowering of grid stages knows}}
    %y = tensor.extract_slice %t[0] [4] [1] : tensor<256xf32> to tensor<4xf32>
    scf.forall.in_parallel {
      egg.write %t into %o[%i] map = #at : tensor<256xf32> into tensor<1024xf32>
    }
  } {egg.grid = #egg.grid<threads = 64>}
  return %r : tensor<1024xf32>
}

// -----

#id = affine_map<(d0) -> (d0)>
#at = affine_map<(d0)[s0] -> (s0 + d0)>
func.func @main(%x: tensor<1024xf32>) -> tensor<1024xf32> {
  %init = tensor.empty() : tensor<1024xf32>
  %z = arith.constant 0.0 : f32
  %r = scf.forall (%i) = (0) to (1024) step (256) shared_outs(%o = %init) -> (tensor<1024xf32>) {
    %e = tensor.empty() : tensor<256xf32>
    %s = egg.read %x[%i] map = #at : tensor<1024xf32> -> tensor<256xf32>
    // expected-error @below {{has the indexing map affine_map<(d0) -> (d0 floordiv 2)>; the lowering takes dimensions, each at most once, and zeros}}
    %t = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0 floordiv 2)>, #id], iterator_types = ["parallel"]} ins(%s : tensor<256xf32>) outs(%e : tensor<256xf32>) {
    ^bb0(%a: f32, %u: f32):
      linalg.yield %a : f32
    } -> tensor<256xf32>
    scf.forall.in_parallel {
      egg.write %t into %o[%i] map = #at : tensor<256xf32> into tensor<1024xf32>
    }
  } {egg.grid = #egg.grid<threads = 64>}
  return %r : tensor<1024xf32>
}

// -----

#id = affine_map<(d0) -> (d0)>
#at = affine_map<(d0)[s0] -> (s0 + d0)>
func.func @main(%x: tensor<1024xf32>) -> tensor<1024xf32> {
  %init = tensor.empty() : tensor<1024xf32>
  %z = arith.constant 0.0 : f32
  %r = scf.forall (%i) = (0) to (1024) step (256) shared_outs(%o = %init) -> (tensor<1024xf32>) {
    %t = egg.read %x[%i] map = #at : tensor<1024xf32> -> tensor<256xf32>
    scf.forall.in_parallel {
      egg.write %t into %o[%i] map = #at : tensor<256xf32> into tensor<1024xf32>
    }
  } {egg.grid = #egg.grid<threads = 64>}
  // expected-error @below {{stands between grid stages; a mapped dispatch is a sequence of them}}
  %q = linalg.fill ins(%z : f32) outs(%init : tensor<1024xf32>) -> tensor<1024xf32>
  return %r : tensor<1024xf32>
}

// -----

#id = affine_map<(d0) -> (d0)>
#at = affine_map<(d0)[s0] -> (s0 + d0)>
func.func @main(%x: tensor<1024xf32>) -> tensor<1024xf32> {
  %init = tensor.empty() : tensor<1024xf32>
  %z = arith.constant 0.0 : f32
  %r = scf.forall (%i) = (0) to (1024) step (256) shared_outs(%o = %init) -> (tensor<1024xf32>) {
    %c = arith.constant dense<1.0> : tensor<256xf32>
    %e1 = tensor.empty() : tensor<f32>
    %f1 = linalg.fill ins(%z : f32) outs(%e1 : tensor<f32>) -> tensor<f32>
    %w = affine.min affine_map<(d0) -> (-d0 + 1000, 256)>(%i)
    %s = egg.read %x[%i] sizes(%w) map = #at : tensor<1024xf32> -> tensor<?xf32>
    // expected-error @below {{reduces a ragged dimension, but the neutral element of its combiner is not known: name it in egg.neutral, one attribute an input}}
    %m = linalg.reduce ins(%s : tensor<?xf32>) outs(%f1 : tensor<f32>) dimensions = [0] (%a: f32, %b: f32) {
      %p = arith.addf %a, %b : f32
      %q = arith.addf %p, %a : f32
      linalg.yield %q : f32
    }
    %t = egg.read %x[%i] map = #at : tensor<1024xf32> -> tensor<256xf32>
    scf.forall.in_parallel {
      egg.write %t into %o[%i] map = #at : tensor<256xf32> into tensor<1024xf32>
    }
  } {egg.grid = #egg.grid<threads = 64>}
  return %r : tensor<1024xf32>
}

// -----

#at = affine_map<(d0, d1)[s0] -> (s0, d0, d1)>
func.func @main(%x: tensor<4x512x512xf32>) -> tensor<4x512x512xf32> {
  %init = tensor.empty() : tensor<4x512x512xf32>
  %r = scf.forall (%i) in (4) shared_outs(%o = %init) -> (tensor<4x512x512xf32>) {
    // expected-error @below {{a tile of 262144 elements (rounded up to powers of two) needs 8192 registers in each of 32 threads; at most 4096 can be laid out: take smaller tiles or more threads}}
    %t = egg.read %x[%i] map = #at : tensor<4x512x512xf32> -> tensor<512x512xf32>
    scf.forall.in_parallel {
      egg.write %t into %o[%i] map = #at : tensor<512x512xf32> into tensor<4x512x512xf32>
    }
  } {egg.grid = #egg.grid<threads = 32>}
  return %r : tensor<4x512x512xf32>
}

// -----

#at = affine_map<(d0, d1)[s0] -> (s0, d0, d1)>
func.func @main(%x: tensor<4x128x128xf32>) -> tensor<4x128x128xf32> {
  %init = tensor.empty() : tensor<4x128x128xf32>
  // expected-error @below {{needs 65536 bytes of shared memory; the lowering gives a block up to 49152: take smaller tiles}}
  %r = scf.forall (%i) in (4) shared_outs(%o = %init) -> (tensor<4x128x128xf32>) {
    %t = egg.read %x[%i] map = #at : tensor<4x128x128xf32> -> tensor<128x128xf32>
    %s = egg.place %t to shared : tensor<128x128xf32>
    scf.forall.in_parallel {
      egg.write %t into %o[%i] map = #at : tensor<128x128xf32> into tensor<4x128x128xf32>
    }
  } {egg.grid = #egg.grid<threads = 256>}
  return %r : tensor<4x128x128xf32>
}
