// RUN: egg-opt %s --egg-verify-grid -split-input-file -verify-diagnostics

// Persistence as IR: the writes of a block are not one slice.
func.func @persistent_as_loop(%x: tensor<1024x128xf32>) -> tensor<1024x128xf32> {
  %c132 = arith.constant 132 : index
  %n = arith.constant 1024 : index
  %init = tensor.empty() : tensor<1024x128xf32>
  %r = scf.forall (%b) in (132) shared_outs(%o = %init) -> (tensor<1024x128xf32>) {
    %w = scf.for %t = %b to %n step %c132 iter_args(%acc = %o) -> (tensor<1024x128xf32>) {
      %s = tensor.extract_slice %x[%t, 0] [1, 128] [1, 1] : tensor<1024x128xf32> to tensor<1x128xf32>
      %i = tensor.insert_slice %s into %acc[%t, 0] [1, 128] [1, 1] : tensor<1x128xf32> into tensor<1024x128xf32>
      scf.yield %i : tensor<1024x128xf32>
    }
    scf.forall.in_parallel {
      // expected-error@+1 {{may write the same elements in two iterations: no coordinate tells apart grid variable 0 (of 132 trips); each must be in an offset as c * iv with a size of at most c * step, or as iv floordiv step with size 1, or the write combines (G1)}}
      tensor.parallel_insert_slice %w into %o[0, 0] [1024, 128] [1, 1] : tensor<1024x128xf32> into tensor<1024x128xf32>
    }
  } {mapping = [#gpu.block<x>]}
  return %r : tensor<1024x128xf32>
}

// -----

// Tiles that overlap: size 65 for a step of 64.
func.func @overlap(%x: tensor<65xf32>) -> tensor<1000xf32> {
  %init = tensor.empty() : tensor<1000xf32>
  %r = scf.forall (%b) = (0) to (640) step (64) shared_outs(%o = %init) -> (tensor<1000xf32>) {
    scf.forall.in_parallel {
      // expected-error@+1 {{no coordinate tells apart grid variable 0 (of 10 trips)}}
      egg.write %x into %o[%b] map = affine_map<(d0)[s0] -> (s0 + d0)> : tensor<65xf32> into tensor<1000xf32>
    }
  } {mapping = [#gpu.block<x>]}
  return %r : tensor<1000xf32>
}

// -----

// Two grid variables in one offset that meet: 64 i + 32 j with j up to 3.
func.func @sum_of_two(%x: tensor<32xf32>) -> tensor<1000xf32> {
  %init = tensor.empty() : tensor<1000xf32>
  %r = scf.forall (%i, %j) in (4, 4) shared_outs(%o = %init) -> (tensor<1000xf32>) {
    %a = affine.apply affine_map<(d0, d1) -> (d0 * 64 + d1 * 32)>(%i, %j)
    scf.forall.in_parallel {
      // expected-error@+1 {{no coordinate tells apart grid variables 0, 1 (of 4, 4 trips)}}
      egg.write %x into %o[%a] map = affine_map<(d0)[s0] -> (s0 + d0)> : tensor<32xf32> into tensor<1000xf32>
    }
  } {mapping = [#gpu.block<y>, #gpu.block<x>]}
  return %r : tensor<1000xf32>
}

// -----

// An offset that is loaded is not known to differ.
func.func @loaded(%x: tensor<32xf32>, %t: tensor<4xindex>, %n: index) -> tensor<1000xf32> {
  %init = tensor.empty() : tensor<1000xf32>
  %r = scf.forall (%i) in (%n) shared_outs(%o = %init) -> (tensor<1000xf32>) {
    %a = tensor.extract %t[%i] : tensor<4xindex>
    scf.forall.in_parallel {
      // expected-error@+1 {{no coordinate tells apart grid variable 0 (of an unknown number of trips)}}
      egg.write %x into %o[%a] map = affine_map<(d0)[s0] -> (s0 + d0)> : tensor<32xf32> into tensor<1000xf32>
    }
  } {mapping = [#gpu.block<x>]}
  return %r : tensor<1000xf32>
}

// -----

func.func @scatter(%x: tensor<32xf32>, %t: tensor<32xi32>) -> tensor<1000xf32> {
  %init = tensor.empty() : tensor<1000xf32>
  %r = scf.forall (%i) in (4) shared_outs(%o = %init) -> (tensor<1000xf32>) {
    scf.forall.in_parallel {
      // expected-error@+1 {{writes through index tensors, so that two elements may meet; it must combine (G1)}}
      egg.write %x into %o[] scatter (%t : tensor<32xi32>) by [affine_map<(d0) -> (d0)>] map = affine_map<(d0)[s0] -> (s0)> : tensor<32xf32> into tensor<1000xf32>
    }
  } {mapping = [#gpu.block<x>]}
  return %r : tensor<1000xf32>
}

// -----

// A map that folds the tile onto itself.
func.func @folds(%x: tensor<32xf32>) -> tensor<1000xf32> {
  %init = tensor.empty() : tensor<1000xf32>
  %r = scf.forall (%i) in (4) shared_outs(%o = %init) -> (tensor<1000xf32>) {
    scf.forall.in_parallel {
      // expected-error@+1 {{may write the same element twice in one iteration: no coordinate tells apart dimension 0 of its tile (G1)}}
      egg.write %x into %o[%i] map = affine_map<(d0)[s0] -> (s0)> : tensor<32xf32> into tensor<1000xf32>
    }
  } {mapping = [#gpu.block<x>]}
  return %r : tensor<1000xf32>
}

// -----

// Half of a pair: a quotient without its rest.
func.func @half_a_pair(%x: tensor<32xf32>) -> tensor<10x1000xf32> {
  %init = tensor.empty() : tensor<10x1000xf32>
  %r = scf.forall (%i) = (0) to (128) step (32) shared_outs(%o = %init) -> (tensor<10x1000xf32>) {
    scf.forall.in_parallel {
      // expected-error@+1 {{no coordinate tells apart grid variable 0 (of 4 trips)}}
      egg.write %x into %o[%i] map = affine_map<(d0)[s0] -> ((s0 + d0) floordiv 20, (s0 + d0) mod 10)> : tensor<32xf32> into tensor<10x1000xf32>
    }
  } {mapping = [#gpu.block<x>]}
  return %r : tensor<10x1000xf32>
}

// -----

func.func @two_writes(%x: tensor<32xf32>) -> tensor<128xf32> {
  %init = tensor.empty() : tensor<128xf32>
  %r = scf.forall (%i) = (0) to (128) step (32) shared_outs(%o = %init) -> (tensor<128xf32>) {
    scf.forall.in_parallel {
      // expected-note@+1 {{the other write}}
      egg.write %x into %o[%i] map = affine_map<(d0)[s0] -> (s0 + d0)> : tensor<32xf32> into tensor<128xf32>
      // expected-error@+1 {{may write elements that another write of this grid writes too; give them disjoint constant ranges of one dimension, or one combine (G1)}}
      egg.write %x into %o[%i] map = affine_map<(d0)[s0] -> (s0 + d0 + 32)> : tensor<32xf32> into tensor<128xf32>
    }
  } {mapping = [#gpu.block<x>]}
  return %r : tensor<128xf32>
}

// -----

func.func @reads_neighbour() -> tensor<128xf32> {
  %init = tensor.empty() : tensor<128xf32>
  %r = scf.forall (%i) = (0) to (128) step (32) shared_outs(%o = %init) -> (tensor<128xf32>) {
    %j = affine.apply affine_map<(d0) -> ((d0 + 32) mod 128)>(%i)
    // expected-error@+1 {{reads shared_out 0 of its grid, of which an iteration may read only the slice that it writes: another block may be writing the rest (G2)}}
    %s = tensor.extract_slice %o[%j] [32] [1] : tensor<128xf32> to tensor<32xf32>
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %s into %o[%i] [32] [1] : tensor<32xf32> into tensor<128xf32>
    }
  } {mapping = [#gpu.block<x>]}
  return %r : tensor<128xf32>
}

// -----

func.func @reads_argument(%x: tensor<128xf32> {egg.inout = 0 : index}) -> tensor<128xf32> {
  %r = scf.forall (%i) = (0) to (128) step (32) shared_outs(%o = %x) -> (tensor<128xf32>) {
    // expected-error@+1 {{reads argument 0, which is tied to result 0 and updated in place; it may be read only through the shared_out that starts as it (G3)}}
    %s = tensor.extract_slice %x[%i] [32] [1] : tensor<128xf32> to tensor<32xf32>
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %s into %o[%i] [32] [1] : tensor<32xf32> into tensor<128xf32>
    }
  } {mapping = [#gpu.block<x>]}
  return %r : tensor<128xf32>
}

// -----

func.func @returns_another(%x: tensor<128xf32> {egg.inout = 0 : index}, %y: tensor<128xf32>) -> tensor<128xf32> {
  // expected-error@+1 {{updates argument 0, which is tied to result 0, but the function returns another value there (G3)}}
  %r = scf.forall (%i) = (0) to (128) step (32) shared_outs(%o = %x) -> (tensor<128xf32>) {
    %s = tensor.extract_slice %y[%i] [32] [1] : tensor<128xf32> to tensor<32xf32>
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %s into %o[%i] [32] [1] : tensor<32xf32> into tensor<128xf32>
    }
  } {mapping = [#gpu.block<x>]}
  return %y : tensor<128xf32>
}

// -----

func.func @starts_from_an_argument(%x: tensor<128xf32>) -> tensor<128xf32> {
  // expected-error@+1 {{starts shared_out 0 from a value that is neither a tensor.empty nor an argument tied to a result by egg.inout (G4)}}
  %r = scf.forall (%i) = (0) to (128) step (32) shared_outs(%o = %x) -> (tensor<128xf32>) {
    %s = tensor.extract_slice %o[%i] [32] [1] : tensor<128xf32> to tensor<32xf32>
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %s into %o[%i] [32] [1] : tensor<32xf32> into tensor<128xf32>
    }
  } {mapping = [#gpu.block<x>]}
  return %r : tensor<128xf32>
}

// -----

// The bound of a loop comes out of a reduction in registers.
func.func @computed_bound(%x: tensor<128xi64>) -> tensor<128xi64> {
  %init = tensor.empty() : tensor<128xi64>
  %z = arith.constant 0 : i64
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %r = scf.forall (%i) = (0) to (128) step (32) shared_outs(%o = %init) -> (tensor<128xi64>) {
    %s = tensor.extract_slice %x[%i] [32] [1] : tensor<128xi64> to tensor<32xi64>
    %e = tensor.empty() : tensor<i64>
    %f = linalg.fill ins(%z : i64) outs(%e : tensor<i64>) -> tensor<i64>
    %m = linalg.reduce { arith.maxsi } ins(%s : tensor<32xi64>) outs(%f : tensor<i64>) dimensions = [0]
    // expected-note@+1 {{it comes from here}}
    %v = tensor.extract %m[] : tensor<i64>
    %n = arith.index_cast %v : i64 to index
    // expected-error@+1 {{is steered by a value that the threads of a block need not have alike; take it from induction variables, shapes or scalars loaded from memory (G5)}}
    %t = scf.for %k = %c0 to %n step %c1 iter_args(%a = %s) -> (tensor<32xi64>) {
      %q = linalg.add ins(%a, %s : tensor<32xi64>, tensor<32xi64>) outs(%a : tensor<32xi64>) -> tensor<32xi64>
      scf.yield %q : tensor<32xi64>
    }
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %t into %o[%i] [32] [1] : tensor<32xi64> into tensor<128xi64>
    }
  } {mapping = [#gpu.block<x>]}
  return %r : tensor<128xi64>
}

// -----

func.func @depth_without_loop(%x: tensor<128xf32>) -> tensor<128xf32> {
  %init = tensor.empty() : tensor<128xf32>
  %r = scf.forall (%i) = (0) to (128) step (32) shared_outs(%o = %init) -> (tensor<128xf32>) {
    %s = tensor.extract_slice %x[%i] [32] [1] : tensor<128xf32> to tensor<32xf32>
    // expected-error@+1 {{has depth = 3 and stands in no loop of its block, so that nothing can be read ahead}}
    %p = egg.place %s to shared depth = 3 : tensor<32xf32>
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %p into %o[%i] [32] [1] : tensor<32xf32> into tensor<128xf32>
    }
  } {mapping = [#gpu.block<x>]}
  return %r : tensor<128xf32>
}

// -----

func.func @depth_of_computed(%x: tensor<128xf32>, %n: index) -> tensor<128xf32> {
  %init = tensor.empty() : tensor<128xf32>
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %r = scf.forall (%i) = (0) to (128) step (32) shared_outs(%o = %init) -> (tensor<128xf32>) {
    %s = tensor.extract_slice %x[%i] [32] [1] : tensor<128xf32> to tensor<32xf32>
    %t = scf.for %k = %c0 to %n step %c1 iter_args(%a = %s) -> (tensor<32xf32>) {
      %q = linalg.add ins(%a, %s : tensor<32xf32>, tensor<32xf32>) outs(%a : tensor<32xf32>) -> tensor<32xf32>
      // expected-error@+1 {{has depth = 2, so its source is read ahead; that must be a slice or egg.read of an argument or of an earlier stage's result}}
      %p = egg.place %q to shared depth = 2 : tensor<32xf32>
      scf.yield %p : tensor<32xf32>
    }
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %t into %o[%i] [32] [1] : tensor<32xf32> into tensor<128xf32>
    }
  } {mapping = [#gpu.block<x>]}
  return %r : tensor<128xf32>
}

// -----

func.func @chain_not_combined(%x: tensor<4x100xf32>) -> tensor<4xf32> {
  %init = tensor.empty() : tensor<4xf32>
  %z = arith.constant 0.0 : f32
  %c0 = arith.constant 0 : index
  %c25 = arith.constant 25 : index
  %c100 = arith.constant 100 : index
  %r = scf.forall (%i) in (4) shared_outs(%o = %init) -> (tensor<4xf32>) {
    %e = tensor.empty() : tensor<f32>
    %f = linalg.fill ins(%z : f32) outs(%e : tensor<f32>) -> tensor<f32>
    // expected-error@+1 {{has #egg.chain, and its carried value 0 is not carry combined with a total by one associative op of a linalg op, so that blocks cannot look back for it}}
    %t = scf.for %k = %c0 to %c100 step %c25 iter_args(%a = %f) -> (tensor<f32>) {
      %s = egg.read %x[%i, %k] map = affine_map<(d0)[s0, s1] -> (s0, s1 + d0)> : tensor<4x100xf32> -> tensor<25xf32>
      %q = linalg.reduce { arith.addf } ins(%s : tensor<25xf32>) outs(%a : tensor<f32>) dimensions = [0]
      scf.yield %q : tensor<f32>
    } {egg.chain = #egg.chain}
    scf.forall.in_parallel {
      egg.write %t into %o[%i] map = affine_map<()[s0] -> (s0)> : tensor<f32> into tensor<4xf32>
    }
  } {mapping = [#gpu.block<x>]}
  return %r : tensor<4xf32>
}

// -----

func.func @chain_total_uses_carry(%x: tensor<4x100xf32>) -> tensor<4xf32> {
  %init = tensor.empty() : tensor<4xf32>
  %z = arith.constant 0.0 : f32
  %c0 = arith.constant 0 : index
  %c25 = arith.constant 25 : index
  %c100 = arith.constant 100 : index
  %r = scf.forall (%i) in (4) shared_outs(%o = %init) -> (tensor<4xf32>) {
    %e = tensor.empty() : tensor<f32>
    %f = linalg.fill ins(%z : f32) outs(%e : tensor<f32>) -> tensor<f32>
    // expected-error@+1 {{has #egg.chain, and the total that carried value 0 is combined with depends on a carry, so that blocks would wait for one another}}
    %t = scf.for %k = %c0 to %c100 step %c25 iter_args(%a = %f) -> (tensor<f32>) {
      %s = linalg.mul ins(%a, %a : tensor<f32>, tensor<f32>) outs(%e : tensor<f32>) -> tensor<f32>
      %q = linalg.add ins(%a, %s : tensor<f32>, tensor<f32>) outs(%e : tensor<f32>) -> tensor<f32>
      scf.yield %q : tensor<f32>
    } {egg.chain = #egg.chain}
    scf.forall.in_parallel {
      egg.write %t into %o[%i] map = affine_map<()[s0] -> (s0)> : tensor<f32> into tensor<4xf32>
    }
  } {mapping = [#gpu.block<x>]}
  return %r : tensor<4xf32>
}

// -----

func.func @chain_writes_too_much(%x: tensor<100xf32>) -> tensor<100xf32> {
  %init = tensor.empty() : tensor<100xf32>
  %c0 = arith.constant 0 : index
  %c20 = arith.constant 20 : index
  %c60 = arith.constant 60 : index
  %r = scf.forall (%i) in (1) shared_outs(%o = %init) -> (tensor<100xf32>) {
    // expected-error@+1 {{has #egg.chain, so its iterations run at once: carried value 0 is written into and must be used by that one insert alone, at an offset that is the induction variable with a size of at most the step}}
    %t = scf.for %k = %c0 to %c60 step %c20 iter_args(%a = %o) -> (tensor<100xf32>) {
      %s = egg.read %x[%k] map = affine_map<(d0)[s0] -> (s0 + d0)> : tensor<100xf32> -> tensor<25xf32>
      %q = tensor.insert_slice %s into %a[%k] [25] [1] : tensor<25xf32> into tensor<100xf32>
      scf.yield %q : tensor<100xf32>
    } {egg.chain = #egg.chain}
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %t into %o[0] [100] [1] : tensor<100xf32> into tensor<100xf32>
    }
  } {mapping = [#gpu.block<x>]}
  return %r : tensor<100xf32>
}

// -----

func.func @chain_not_in_grid(%x: tensor<100xf32>, %n: index) -> tensor<128xf32> {
  %init = tensor.empty() : tensor<128xf32>
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %r = scf.forall (%i) = (0) to (128) step (32) shared_outs(%o = %init) -> (tensor<128xf32>) {
    scf.for %k = %c0 to %n step %c1 {
      // expected-error@+1 {{has #egg.chain and must stand directly in a grid loop, whose ordered dimension it is}}
      scf.for %l = %c0 to %n step %c1 {
      } {egg.chain = #egg.chain}
    }
  } {mapping = [#gpu.block<x>]}
  return %r : tensor<128xf32>
}

// -----

func.func @join_first(%x: tensor<128xf32>) -> tensor<128xf32> {
  %init = tensor.empty() : tensor<128xf32>
  // expected-error@+1 {{has #egg.join<last_block> and no grid stage before it}}
  %r = scf.forall (%i) = (0) to (128) step (32) shared_outs(%o = %init) -> (tensor<128xf32>) {
  } {mapping = [#gpu.block<x>], egg.join = #egg.join<last_block>}
  return %r : tensor<128xf32>
}

// -----

// Each iteration reads a tile and its neighbour's half.
func.func @last_block_shifted(%x: tensor<128xf32>) -> tensor<64xf32> {
  %e0 = tensor.empty() : tensor<128xf32>
  // expected-note@+1 {{the earlier stage}}
  %p = scf.forall (%i) = (0) to (128) step (32) shared_outs(%o = %e0) -> (tensor<128xf32>) {
    %s = tensor.extract_slice %x[%i] [32] [1] : tensor<128xf32> to tensor<32xf32>
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %s into %o[%i] [32] [1] : tensor<32xf32> into tensor<128xf32>
    }
  } {mapping = [#gpu.block<x>]}
  %e1 = tensor.empty() : tensor<64xf32>
  %r = scf.forall (%i) = (0) to (64) step (32) shared_outs(%o = %e1) -> (tensor<64xf32>) {
    %a = affine.apply affine_map<(d0) -> (d0 + 16)>(%i)
    // expected-error@+1 {{reads dimension 0 of an earlier stage's result neither whole nor by that stage's own tiles, so that the group of blocks to wait for is no projection of its grid; join by launch or grid_barrier instead of last_block}}
    %s = tensor.extract_slice %p[%a] [32] [1] : tensor<128xf32> to tensor<32xf32>
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %s into %o[%i] [32] [1] : tensor<32xf32> into tensor<64xf32>
    }
  } {mapping = [#gpu.block<x>], egg.join = #egg.join<last_block>}
  return %r : tensor<64xf32>
}

// -----

// All iterations read everything.
func.func @last_block_shared(%x: tensor<128xf32>) -> tensor<128xf32> {
  %e0 = tensor.empty() : tensor<128xf32>
  %p = scf.forall (%i) = (0) to (128) step (32) shared_outs(%o = %e0) -> (tensor<128xf32>) {
    %s = tensor.extract_slice %x[%i] [32] [1] : tensor<128xf32> to tensor<32xf32>
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %s into %o[%i] [32] [1] : tensor<32xf32> into tensor<128xf32>
    }
  } {mapping = [#gpu.block<x>]}
  %e1 = tensor.empty() : tensor<128xf32>
  // expected-error@+1 {{joins as last_block, and iterations that differ in grid variable 0 read the same blocks' results, so that their groups are not disjoint; join by launch or grid_barrier}}
  %r = scf.forall (%i) = (0) to (128) step (32) shared_outs(%o = %e1) -> (tensor<128xf32>) {
    %s = tensor.extract_slice %p[0] [128] [1] : tensor<128xf32> to tensor<128xf32>
    %t = tensor.extract_slice %s[%i] [32] [1] : tensor<128xf32> to tensor<32xf32>
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %t into %o[%i] [32] [1] : tensor<32xf32> into tensor<128xf32>
    }
  } {mapping = [#gpu.block<x>], egg.join = #egg.join<last_block>}
  return %r : tensor<128xf32>
}

// -----

func.func @last_block_unrelated(%x: tensor<128xf32>) -> (tensor<128xf32>, tensor<128xf32>) {
  %e0 = tensor.empty() : tensor<128xf32>
  %p = scf.forall (%i) = (0) to (128) step (32) shared_outs(%o = %e0) -> (tensor<128xf32>) {
  } {mapping = [#gpu.block<x>]}
  %e1 = tensor.empty() : tensor<128xf32>
  // expected-error@+1 {{joins as last_block and reads nothing of the stage before it; use side_by_side or launch}}
  %r = scf.forall (%i) = (0) to (128) step (32) shared_outs(%o = %e1) -> (tensor<128xf32>) {
  } {mapping = [#gpu.block<x>], egg.join = #egg.join<last_block>}
  return %p, %r : tensor<128xf32>, tensor<128xf32>
}

// -----

func.func @side_by_side_dependent(%x: tensor<128xf32>) -> tensor<128xf32> {
  %e0 = tensor.empty() : tensor<128xf32>
  %p = scf.forall (%i) = (0) to (128) step (32) shared_outs(%o = %e0) -> (tensor<128xf32>) {
  } {mapping = [#gpu.block<x>]}
  %q = tensor.expand_shape %p [[0, 1]] output_shape [4, 32] : tensor<128xf32> into tensor<4x32xf32>
  %e1 = tensor.empty() : tensor<128xf32>
  // expected-error@+1 {{joins as side_by_side and depends on a stage of the same launch; use launch, last_block or grid_barrier}}
  %r = scf.forall (%i) in (4) shared_outs(%o = %e1) -> (tensor<128xf32>) {
    %s = tensor.extract_slice %q[%i, 0] [1, 32] [1, 1] : tensor<4x32xf32> to tensor<32xf32>
    %a = affine.apply affine_map<(d0) -> (d0 * 32)>(%i)
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %s into %o[%a] [32] [1] : tensor<32xf32> into tensor<128xf32>
    }
  } {mapping = [#gpu.block<x>], egg.join = #egg.join<side_by_side>}
  return %r : tensor<128xf32>
}

// -----

func.func @atomic_with_more(%x: tensor<128xf32>) -> tensor<f32> {
  %z = arith.constant 0.0 : f32
  %e0 = tensor.empty() : tensor<128xf32>
  %p = scf.forall (%i) = (0) to (128) step (32) shared_outs(%o = %e0) -> (tensor<128xf32>) {
  } {mapping = [#gpu.block<x>]}
  %e1 = tensor.empty() : tensor<f32>
  // expected-error@+1 {{joins as atomic and must be exactly one linalg.reduce by one commutative op of the earlier stage's result; it has 1 of them and other work; join by launch or last_block}}
  %r = scf.forall (%i) in (1) shared_outs(%o = %e1) -> (tensor<f32>) {
    %f = linalg.fill ins(%z : f32) outs(%e1 : tensor<f32>) -> tensor<f32>
    %s = linalg.reduce { arith.addf } ins(%p : tensor<128xf32>) outs(%f : tensor<f32>) dimensions = [0]
    %t = linalg.sqrt ins(%s : tensor<f32>) outs(%e1 : tensor<f32>) -> tensor<f32>
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %t into %o[] [] [] : tensor<f32> into tensor<f32>
    }
  } {mapping = [#gpu.block<x>], egg.join = #egg.join<atomic>}
  return %r : tensor<f32>
}

// -----

// Narrow arithmetic wraps: iterations 0 and 8 meet.
func.func @wraps(%x: tensor<32xf32>) -> tensor<1000xf32> {
  %init = tensor.empty() : tensor<1000xf32>
  %r = scf.forall (%i) = (0) to (512) step (32) shared_outs(%o = %init) -> (tensor<1000xf32>) {
    %n = arith.index_cast %i : index to i8
    %a = arith.index_cast %n : i8 to index
    scf.forall.in_parallel {
      // expected-error@+1 {{no coordinate tells apart grid variable 0 (of 16 trips)}}
      egg.write %x into %o[%a] map = affine_map<(d0)[s0] -> (s0 + d0)> : tensor<32xf32> into tensor<1000xf32>
    }
  } {mapping = [#gpu.block<x>]}
  return %r : tensor<1000xf32>
}

// -----

// Half of the next tile.
func.func @reads_next_half(%x: tensor<128xf32> {egg.inout = 0 : index}) -> tensor<128xf32> {
  %r = scf.forall (%i) = (0) to (128) step (32) shared_outs(%o = %x) -> (tensor<128xf32>) {
    // expected-error@+1 {{reads shared_out 0 of its grid, of which an iteration may read only the slice that it writes}}
    %s = egg.read %o[%i] map = affine_map<(d0)[s0] -> (s0 + d0 + 16)> : tensor<128xf32> -> tensor<32xf32>
    scf.forall.in_parallel {
      egg.write %s into %o[%i] map = affine_map<(d0)[s0] -> (s0 + d0)> : tensor<32xf32> into tensor<128xf32>
    }
  } {mapping = [#gpu.block<x>]}
  return %r : tensor<128xf32>
}
