// What the grid discipline allows beside the kernels of this folder.
// RUN: egg-opt %s --egg-verify-grid | FileCheck %s

// Two grid variables in one offset, as digits: 128 i + 32 j, j below 4.
// CHECK-LABEL: @digits
func.func @digits(%x: tensor<32xf32>) -> tensor<1000xf32> {
  %init = tensor.empty() : tensor<1000xf32>
  %r = scf.forall (%i, %j) in (7, 4) shared_outs(%o = %init) -> (tensor<1000xf32>) {
    %a = affine.apply affine_map<(d0, d1) -> (d0 * 128 + d1 * 32)>(%i, %j)
    scf.forall.in_parallel {
      egg.write %x into %o[%a] map = affine_map<(d0)[s0] -> (s0 + d0)> : tensor<32xf32> into tensor<1000xf32>
    }
  } {mapping = [#gpu.block<y>, #gpu.block<x>]}
  return %r : tensor<1000xf32>
}

// The tile's own dimension is the lowest digit: 8 i + 4 j + d.
// CHECK-LABEL: @interleaved
func.func @interleaved(%x: tensor<4xf32>) -> tensor<1000xf32> {
  %init = tensor.empty() : tensor<1000xf32>
  %r = scf.forall (%i, %j) in (7, 2) shared_outs(%o = %init) -> (tensor<1000xf32>) {
    scf.forall.in_parallel {
      egg.write %x into %o[%i, %j] map = affine_map<(d0)[s0, s1] -> (s0 * 8 + s1 * 4 + d0)> : tensor<4xf32> into tensor<1000xf32>
    }
  } {mapping = [#gpu.block<y>, #gpu.block<x>]}
  return %r : tensor<1000xf32>
}

// A strided write: elements 4 d + i for i in 0 to 3.
// CHECK-LABEL: @strided
func.func @strided(%x: tensor<8xf32>) -> tensor<32xf32> {
  %init = tensor.empty() : tensor<32xf32>
  %r = scf.forall (%i) in (4) shared_outs(%o = %init) -> (tensor<32xf32>) {
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %x into %o[%i] [8] [4] : tensor<8xf32> into tensor<32xf32>
    }
  } {mapping = [#gpu.block<x>]}
  return %r : tensor<32xf32>
}

// A number of trips that is not known, an offset from outside the grid, a size
// with a known bound.
// CHECK-LABEL: @dynamic
func.func @dynamic(%x: tensor<?xf32>, %n: index, %base: index) -> tensor<?xf32> {
  %init = tensor.empty(%n) : tensor<?xf32>
  %r = scf.forall (%i) = (0) to (%n) step (64) shared_outs(%o = %init) -> (tensor<?xf32>) {
    %w = affine.min affine_map<(d0)[s0] -> (-d0 + s0, 64)>(%i)[%n]
    %a = arith.addi %i, %base : index
    %s = egg.read %x[%i] sizes (%w) map = affine_map<(d0)[s0] -> (s0 + d0)> : tensor<?xf32> -> tensor<?xf32>
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %s into %o[%a] [%w] [1] : tensor<?xf32> into tensor<?xf32>
    }
  } {mapping = [#gpu.block<x>]}
  return %r : tensor<?xf32>
}

// Control flow from a length in memory, by row; a variable of one trip needs no
// offset; ranges of two writes that do not meet.
// CHECK-LABEL: @lengths
func.func @lengths(%x: tensor<8x128xf32>, %len: tensor<8xi32>) -> tensor<8x2xf32> {
  %z = arith.constant 0.0 : f32
  %c0 = arith.constant 0 : index
  %c32 = arith.constant 32 : index
  %init = tensor.empty() : tensor<8x2xf32>
  %r = scf.forall (%i, %one) in (8, 1) shared_outs(%o = %init) -> (tensor<8x2xf32>) {
    %l = tensor.extract %len[%i] : tensor<8xi32>
    %n = arith.index_cast %l : i32 to index
    %e = tensor.empty() : tensor<f32>
    %f = linalg.fill ins(%z : f32) outs(%e : tensor<f32>) -> tensor<f32>
    %s = scf.for %k = %c0 to %n step %c32 iter_args(%a = %f) -> (tensor<f32>) {
      %w = affine.min affine_map<(d0)[s0] -> (-d0 + s0, 32)>(%k)[%n]
      %t = egg.read %x[%i, %k] sizes (%w) map = affine_map<(d0)[s0, s1] -> (s0, s1 + d0)> : tensor<8x128xf32> -> tensor<?xf32>
      %p = egg.place %t to registers depth = 2 : tensor<?xf32>
      %q = linalg.reduce { arith.addf } ins(%p : tensor<?xf32>) outs(%a : tensor<f32>) dimensions = [0]
      scf.yield %q : tensor<f32>
    }
    scf.forall.in_parallel {
      egg.write %s into %o[%i] map = affine_map<()[s0] -> (s0, 0)> : tensor<f32> into tensor<8x2xf32>
      egg.write %f into %o[%i] map = affine_map<()[s0] -> (s0, 1)> : tensor<f32> into tensor<8x2xf32>
    }
  } {mapping = [#gpu.block<y>, #gpu.block<x>]}
  return %r : tensor<8x2xf32>
}

// Stages side by side, then a sum by atomics.
// CHECK-LABEL: @joins
func.func @joins(%x: tensor<128xf32>) -> (tensor<128xf32>, tensor<f32>) {
  %z = arith.constant 0.0 : f32
  %e0 = tensor.empty() : tensor<128xf32>
  %a = scf.forall (%i) = (0) to (128) step (32) shared_outs(%o = %e0) -> (tensor<128xf32>) {
    %s = tensor.extract_slice %x[%i] [32] [1] : tensor<128xf32> to tensor<32xf32>
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %s into %o[%i] [32] [1] : tensor<32xf32> into tensor<128xf32>
    }
  } {mapping = [#gpu.block<x>]}
  %e1 = tensor.empty() : tensor<128xf32>
  %b = scf.forall (%i) = (0) to (128) step (64) shared_outs(%o = %e1) -> (tensor<128xf32>) {
    %s = tensor.extract_slice %x[%i] [64] [1] : tensor<128xf32> to tensor<64xf32>
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %s into %o[%i] [64] [1] : tensor<64xf32> into tensor<128xf32>
    }
  } {mapping = [#gpu.block<x>], egg.join = #egg.join<side_by_side>}
  %e2 = tensor.empty() : tensor<f32>
  %c = scf.forall (%i) in (1) shared_outs(%o = %e2) -> (tensor<f32>) {
    %f = linalg.fill ins(%z : f32) outs(%e2 : tensor<f32>) -> tensor<f32>
    %s = linalg.reduce { arith.addf } ins(%b : tensor<128xf32>) outs(%f : tensor<f32>) dimensions = [0]
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %s into %o[] [] [] : tensor<f32> into tensor<f32>
    }
  } {mapping = [#gpu.block<x>], egg.join = #egg.join<atomic>}
  return %a, %c : tensor<128xf32>, tensor<f32>
}

// In place, through slices of one kind and of another, and part of one.
// CHECK-LABEL: @in_place
func.func @in_place(%x: tensor<128xf32> {egg.inout = 0 : index}) -> tensor<128xf32> {
  %r = scf.forall (%i) = (0) to (128) step (32) shared_outs(%o = %x) -> (tensor<128xf32>) {
    %s = tensor.extract_slice %o[%i] [32] [1] : tensor<128xf32> to tensor<32xf32>
    %h = egg.read %o[%i] map = affine_map<(d0)[s0] -> (s0 + d0 + 16)> : tensor<128xf32> -> tensor<16xf32>
    %u = tensor.insert_slice %h into %s[0] [16] [1] : tensor<16xf32> into tensor<32xf32>
    scf.forall.in_parallel {
      egg.write %u into %o[%i] map = affine_map<(d0)[s0] -> (s0 + d0)> : tensor<32xf32> into tensor<128xf32>
    }
  } {mapping = [#gpu.block<x>]}
  return %r : tensor<128xf32>
}

// A loop that is no grid is left alone.
// CHECK-LABEL: @no_grid
func.func @no_grid(%x: tensor<4xf32>, %y: tensor<4xf32>) -> tensor<4xf32> {
  %r = scf.forall (%i) in (4) shared_outs(%o = %y) -> (tensor<4xf32>) {
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %x into %o[0] [4] [1] : tensor<4xf32> into tensor<4xf32>
    }
  }
  return %r : tensor<4xf32>
}
