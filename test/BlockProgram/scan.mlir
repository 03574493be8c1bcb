// Cumulative sums whose chunks are an ordered dimension of the grid, argmax with
// its rule for ties and NaN, and scans of every kind, against plain forms.
// RUN: cat %S/Inputs/harness.mlir %s | egg-opt --egg-verify-grid -o %t.mlir
// RUN: egg-opt %t.mlir --egg-lower-ops-to-loops="poison check-bounds" | %run_tensors | FileCheck %s
// RUN: egg-opt %t.mlir --egg-lower-ops-to-loops="order=reversed poison check-bounds" | %run_tensors | FileCheck %s
// RUN: egg-opt %t.mlir --egg-lower-ops-to-loops="order=shuffled poison check-bounds" | %run_tensors | FileCheck %s
// RUN: egg-opt %t.mlir --egg-normalize-block-program --egg-verify-grid --egg-lower-ops-to-loops="poison check-bounds" | %run_tensors | FileCheck %s

func.func private @cumsum(%x: tensor<6x100xf32>) -> tensor<6x100xf32> {
  %z = arith.constant 0.0 : f32
  %c0 = arith.constant 0 : index
  %c25 = arith.constant 25 : index
  %c100 = arith.constant 100 : index
  %init = tensor.empty() : tensor<6x100xf32>
  %r = scf.forall (%b) in (6) shared_outs(%o = %init) -> (tensor<6x100xf32>) {
    %orow = tensor.extract_slice %o[%b, 0] [1, 100] [1, 1] : tensor<6x100xf32> to tensor<100xf32>
    %es = tensor.empty() : tensor<f32>
    %k0 = linalg.fill ins(%z : f32) outs(%es : tensor<f32>) -> tensor<f32>
    %w:2 = scf.for %k = %c0 to %c100 step %c25 iter_args(%acc = %orow, %carry = %k0) -> (tensor<100xf32>, tensor<f32>) {
      %s = egg.read %x[%b, %k] map = affine_map<(d0)[s0, s1] -> (s0, s1 + d0)> : tensor<6x100xf32> -> tensor<25xf32>
      %sc, %tot = egg.scan %s dim = 0 {
      ^bb0(%u: f32, %v: f32):
        %q = arith.addf %u, %v : f32
        egg.yield %q : f32
      } : tensor<25xf32> -> tensor<25xf32>, tensor<f32>
      %e = tensor.empty() : tensor<25xf32>
      %y = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> ()>, affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]} ins(%sc, %carry : tensor<25xf32>, tensor<f32>) outs(%e : tensor<25xf32>) {
      ^bb0(%a: f32, %cc: f32, %u: f32):
        %q = arith.addf %cc, %a : f32
        linalg.yield %q : f32
      } -> tensor<25xf32>
      %cn = linalg.add ins(%carry, %tot : tensor<f32>, tensor<f32>) outs(%es : tensor<f32>) -> tensor<f32>
      %i = tensor.insert_slice %y into %acc[%k] [25] [1] : tensor<25xf32> into tensor<100xf32>
      scf.yield %i, %cn : tensor<100xf32>, tensor<f32>
    } {egg.chain = #egg.chain}
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %w#0 into %o[%b, 0] [1, 100] [1, 1] : tensor<100xf32> into tensor<6x100xf32>
    }
  } {mapping = [#gpu.block<y>]}
  return %r : tensor<6x100xf32>
}

// The first place of the greatest element; a NaN is greater than all.
func.func private @argmax(%x: tensor<6x100xf32>) -> tensor<6xi64> {
  %ninf = arith.constant 0xFF800000 : f32
  %big = arith.constant 9223372036854775807 : i64
  %init = tensor.empty() : tensor<6xi64>
  %r = scf.forall (%i) = (0) to (6) step (4) shared_outs(%o = %init) -> (tensor<6xi64>) {
    %h = affine.min affine_map<(d0) -> (-d0 + 6, 4)>(%i)
    %s = egg.read %x[%i] sizes (%h) map = affine_map<(d0, d1)[s0] -> (s0 + d0, d1)> : tensor<6x100xf32> -> tensor<?x100xf32>
    %ei = tensor.empty(%h) : tensor<?x100xi64>
    %e1 = tensor.empty(%h) : tensor<?xf32>
    %e2 = tensor.empty(%h) : tensor<?xi64>
    %ix = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]} outs(%ei : tensor<?x100xi64>) {
    ^bb0(%u: i64):
      %k = linalg.index 1 : index
      %v = arith.index_cast %k : index to i64
      linalg.yield %v : i64
    } -> tensor<?x100xi64>
    %m0 = linalg.fill ins(%ninf : f32) outs(%e1 : tensor<?xf32>) -> tensor<?xf32>
    %i0 = linalg.fill ins(%big : i64) outs(%e2 : tensor<?xi64>) -> tensor<?xi64>
    %m:2 = linalg.reduce ins(%s, %ix : tensor<?x100xf32>, tensor<?x100xi64>) outs(%m0, %i0 : tensor<?xf32>, tensor<?xi64>) dimensions = [1]
        {egg.neutral = [0xFF800000 : f32, 9223372036854775807 : i64]}
      (%a: f32, %ia: i64, %b: f32, %ib: i64) {
        %nan = arith.cmpf uno, %a, %a : f32
        %bnan = arith.cmpf uno, %b, %b : f32
        %bn = arith.cmpf ord, %b, %b : f32
        %gt = arith.cmpf ogt, %a, %b : f32
        %eq = arith.cmpf oeq, %a, %b : f32
        %both = arith.andi %nan, %bnan : i1
        %tie = arith.ori %eq, %both : i1
        %lt = arith.cmpi slt, %ia, %ib : i64
        %te = arith.andi %tie, %lt : i1
        %t1 = arith.andi %nan, %bn : i1
        %t = arith.ori %gt, %te : i1
        %tt = arith.ori %t, %t1 : i1
        %v = arith.select %tt, %a, %b : f32
        %w = arith.select %tt, %ia, %ib : i64
        linalg.yield %v, %w : f32, i64
      }
    scf.forall.in_parallel {
      egg.write %m#1 into %o[%i] map = affine_map<(d0)[s0] -> (s0 + d0)> : tensor<?xi64> into tensor<6xi64>
    }
  } {mapping = [#gpu.block<x>]}
  return %r : tensor<6xi64>
}

func.func @main() {
  %i0 = arith.constant 0 : index
  %pad = arith.constant 0 : i64
  %pad32 = arith.constant 0 : i32
  %n = arith.constant 600 : index
  %seed = arith.constant 5 : index
  %tol = arith.constant 1.0e-5 : f32
  %f = func.call @numbers(%n, %seed) : (index, index) -> tensor<?xf32>
  %c = tensor.cast %f : tensor<?xf32> to tensor<600xf32>
  %x = tensor.expand_shape %c [[0, 1]] output_shape [6, 100] : tensor<600xf32> into tensor<6x100xf32>

  // Each sum on its own, from the start.
  %z = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<6x100xf32>
  %p = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]} outs(%e : tensor<6x100xf32>) {
  ^bb0(%u: f32):
    %i = linalg.index 0 : index
    %j = linalg.index 1 : index
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %end = arith.addi %j, %c1 : index
    %s = scf.for %k = %c0 to %end step %c1 iter_args(%t = %z) -> (f32) {
      %v = tensor.extract %x[%i, %k] : tensor<6x100xf32>
      %w = arith.addf %t, %v : f32
      scf.yield %w : f32
    }
    linalg.yield %s : f32
  } -> tensor<6x100xf32>
  %b = func.call @cumsum(%x) : (tensor<6x100xf32>) -> tensor<6x100xf32>
  %pc = tensor.collapse_shape %p [[0, 1]] : tensor<6x100xf32> into tensor<600xf32>
  %bc = tensor.collapse_shape %b [[0, 1]] : tensor<6x100xf32> into tensor<600xf32>
  %pd = tensor.cast %pc : tensor<600xf32> to tensor<?xf32>
  %bd = tensor.cast %bc : tensor<600xf32> to tensor<?xf32>
  // CHECK: {{^}}0{{$}}
  // CHECK-NEXT: {{^}}{{[1-9][0-9]+}}{{$}}
  func.call @compare(%bd, %pd, %tol) : (tensor<?xf32>, tensor<?xf32>, f32) -> ()

  // Rows 0 to 5: maximum at 42; at 7 and 9; NaN at 60 and 61; all equal; at 99;
  // at 0 under -0.
  %rows = tensor.empty() : tensor<6x100xf32>
  %g = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]} outs(%rows : tensor<6x100xf32>) {
  ^bb0(%u: f32):
    %i = linalg.index 0 : index
    %j = linalg.index 1 : index
    %table = arith.constant dense<[42, 7, 60, 200, 99, 0]> : tensor<6xindex>
    %other = arith.constant dense<[42, 9, 61, 200, 99, 0]> : tensor<6xindex>
    %peak = arith.constant dense<[3.0, 2.0, 0x7FC00000, 1.0, 5.0, 0.0]> : tensor<6xf32>
    %rest = arith.constant dense<[1.0, 1.0, 1.0, 1.0, 1.0, -0.0]> : tensor<6xf32>
    %a = tensor.extract %table[%i] : tensor<6xindex>
    %o = tensor.extract %other[%i] : tensor<6xindex>
    %v = tensor.extract %peak[%i] : tensor<6xf32>
    %w = tensor.extract %rest[%i] : tensor<6xf32>
    %p0 = arith.cmpi eq, %j, %a : index
    %p1 = arith.cmpi eq, %j, %o : index
    %p2 = arith.ori %p0, %p1 : i1
    %q = arith.select %p2, %v, %w : f32
    linalg.yield %q : f32
  } -> tensor<6x100xf32>
  %am = func.call @argmax(%g) : (tensor<6x100xf32>) -> tensor<6xi64>
  %vec = vector.transfer_read %am[%i0], %pad {in_bounds = [true]} : tensor<6xi64>, vector<6xi64>
  // CHECK-NEXT: ( 42, 7, 60, 0, 99, 0 )
  vector.print %vec : vector<6xi64>

  // Scans of 1, 2, 3, 4 by columns of a 4x2 tensor: all four kinds, then one
  // that does not commute: pairs (a, b) of x -> a x + b.
  %m = arith.constant dense<[[1, 10], [2, 20], [3, 30], [4, 40]]> : tensor<4x2xi32>
  %s0, %t0 = egg.scan %m dim = 0 {
  ^bb0(%u: i32, %v: i32):
    %q = arith.addi %u, %v : i32
    egg.yield %q : i32
  } : tensor<4x2xi32> -> tensor<4x2xi32>, tensor<2xi32>
  %s1, %t1 = egg.scan %m dim = 0 exclusive {
  ^bb0(%u: i32, %v: i32):
    %q = arith.addi %u, %v : i32
    egg.yield %q : i32
  } : tensor<4x2xi32> -> tensor<4x2xi32>, tensor<2xi32>
  %s2, %t2 = egg.scan %m dim = 0 reverse {
  ^bb0(%u: i32, %v: i32):
    %q = arith.addi %u, %v : i32
    egg.yield %q : i32
  } : tensor<4x2xi32> -> tensor<4x2xi32>, tensor<2xi32>
  %s3, %t3 = egg.scan %m dim = 1 exclusive reverse {
  ^bb0(%u: i32, %v: i32):
    %q = arith.addi %u, %v : i32
    egg.yield %q : i32
  } : tensor<4x2xi32> -> tensor<4x2xi32>, tensor<4xi32>
  %row = tensor.extract_slice %m[0, 0] [4, 1] [1, 1] : tensor<4x2xi32> to tensor<4xi32>
  %s4:2, %t4:2 = egg.scan %row, %row dim = 0 {
  ^bb0(%a: i32, %aa: i32, %d: i32, %dd: i32):
    %q = arith.muli %a, %d : i32
    %k = arith.muli %aa, %d : i32
    %l = arith.addi %k, %dd : i32
    egg.yield %q, %l : i32, i32
  } : tensor<4xi32>, tensor<4xi32> -> tensor<4xi32>, tensor<4xi32>, tensor<i32>, tensor<i32>
  %v0 = vector.transfer_read %s0[%i0, %i0], %pad32 {in_bounds = [true, true]} : tensor<4x2xi32>, vector<4x2xi32>
  // CHECK-NEXT: ( ( 1, 10 ), ( 3, 30 ), ( 6, 60 ), ( 10, 100 ) )
  vector.print %v0 : vector<4x2xi32>
  %v1 = vector.transfer_read %s1[%i0, %i0], %pad32 {in_bounds = [true, true]} : tensor<4x2xi32>, vector<4x2xi32>
  // CHECK-NEXT: ( ( 0, 0 ), ( 1, 10 ), ( 3, 30 ), ( 6, 60 ) )
  vector.print %v1 : vector<4x2xi32>
  %v2 = vector.transfer_read %s2[%i0, %i0], %pad32 {in_bounds = [true, true]} : tensor<4x2xi32>, vector<4x2xi32>
  // CHECK-NEXT: ( ( 10, 100 ), ( 9, 90 ), ( 7, 70 ), ( 4, 40 ) )
  vector.print %v2 : vector<4x2xi32>
  %v3 = vector.transfer_read %s3[%i0, %i0], %pad32 {in_bounds = [true, true]} : tensor<4x2xi32>, vector<4x2xi32>
  // CHECK-NEXT: ( ( 10, 0 ), ( 20, 0 ), ( 30, 0 ), ( 40, 0 ) )
  vector.print %v3 : vector<4x2xi32>
  %w0 = vector.transfer_read %t1[%i0], %pad32 {in_bounds = [true]} : tensor<2xi32>, vector<2xi32>
  // CHECK-NEXT: ( 10, 100 )
  vector.print %w0 : vector<2xi32>
  %w1 = vector.transfer_read %t3[%i0], %pad32 {in_bounds = [true]} : tensor<4xi32>, vector<4xi32>
  // CHECK-NEXT: ( 11, 22, 33, 44 )
  vector.print %w1 : vector<4xi32>
  // b: 1, 1*2+2 = 4, 4*3+3 = 15, 15*4+4 = 64
  %v4 = vector.transfer_read %s4#1[%i0], %pad32 {in_bounds = [true]} : tensor<4xi32>, vector<4xi32>
  // CHECK-NEXT: ( 1, 4, 15, 64 )
  vector.print %v4 : vector<4xi32>
  return
}
