// Contractions: a ragged product with an epilogue and row sums, split K, three
// f16 products for one of f32, many 7x7 products; against linalg's own.
// RUN: cat %S/Inputs/harness.mlir %s | egg-opt --egg-verify-grid -o %t.mlir
// RUN: egg-opt %t.mlir --egg-lower-ops-to-loops="poison check-bounds" | %run_tensors | FileCheck %s
// RUN: egg-opt %t.mlir --egg-lower-ops-to-loops="order=reversed poison check-bounds" | %run_tensors | FileCheck %s
// RUN: egg-opt %t.mlir --egg-lower-ops-to-loops="order=shuffled poison check-bounds" | %run_tensors | FileCheck %s
// RUN: egg-opt %t.mlir --egg-normalize-block-program --egg-verify-grid --egg-lower-ops-to-loops="poison check-bounds" | %run_tensors | FileCheck %s

#id = affine_map<(d0, d1) -> (d0, d1)>
#row = affine_map<(d0, d1) -> (d0)>
#col = affine_map<(d0, d1) -> (d1)>
#at = affine_map<(d0, d1)[s0, s1] -> (s0 + d0, s1 + d1)>
#at1 = affine_map<(d0)[s0] -> (s0 + d0)>

// 20x30 by 30x26 in tiles of 16x16x8, all ragged; bias and GELU, and the sums of
// rows, merged by the last block of each row of tiles.
func.func private @epilogue(%A: tensor<20x30xf16>, %B: tensor<30x26xf16>, %bias: tensor<26xf32>) -> (tensor<20x26xf32>, tensor<20xf32>) {
  %z = arith.constant 0.0 : f32
  %half = arith.constant 0.5 : f32
  %one = arith.constant 1.0 : f32
  %r2 = arith.constant 0.70710678 : f32
  %c0 = arith.constant 0 : index
  %c8 = arith.constant 8 : index
  %c30 = arith.constant 30 : index
  %init = tensor.empty() : tensor<20x26xf32>
  %pe = tensor.empty() : tensor<2x20xf32>
  %r:2 = scf.forall (%i, %j) = (0, 0) to (20, 26) step (16, 16) shared_outs(%o = %init, %ps = %pe) -> (tensor<20x26xf32>, tensor<2x20xf32>) {
    %h = affine.min affine_map<(d0) -> (-d0 + 20, 16)>(%i)
    %w = affine.min affine_map<(d0) -> (-d0 + 26, 16)>(%j)
    %ea = tensor.empty(%h, %w) : tensor<?x?xf32>
    %a0 = linalg.fill ins(%z : f32) outs(%ea : tensor<?x?xf32>) -> tensor<?x?xf32>
    %acc = scf.for %k = %c0 to %c30 step %c8 iter_args(%c = %a0) -> (tensor<?x?xf32>) {
      %kk = affine.min affine_map<(d0) -> (-d0 + 30, 8)>(%k)
      %a = egg.read %A[%i, %k] sizes (%h, %kk) map = #at : tensor<20x30xf16> -> tensor<?x?xf16>
      %b = egg.read %B[%k, %j] sizes (%kk, %w) map = #at : tensor<30x26xf16> -> tensor<?x?xf16>
      %as = egg.place %a to shared swizzle = 128 copy = tma depth = 4 : tensor<?x?xf16>
      %bs = egg.place %b to shared swizzle = 128 copy = tma depth = 4 : tensor<?x?xf16>
      %n = linalg.matmul {egg.contract = #egg.contract<wgmma m64n256k16, warps = 8>} ins(%as, %bs : tensor<?x?xf16>, tensor<?x?xf16>) outs(%c : tensor<?x?xf32>) -> tensor<?x?xf32>
      scf.yield %n : tensor<?x?xf32>
    } {egg.roles = #egg.roles<producer = 4, consumers = 2>}
    %bi = egg.read %bias[%j] sizes (%w) map = #at1 : tensor<26xf32> -> tensor<?xf32>
    %g = linalg.generic {indexing_maps = [#id, #col, #id], iterator_types = ["parallel", "parallel"]} ins(%acc, %bi : tensor<?x?xf32>, tensor<?xf32>) outs(%ea : tensor<?x?xf32>) {
    ^bb0(%x: f32, %bb: f32, %u: f32):
      %s = arith.addf %x, %bb : f32
      %t = arith.mulf %s, %r2 : f32
      %e = math.erf %t : f32
      %p = arith.addf %e, %one : f32
      %q = arith.mulf %s, %half : f32
      %y = arith.mulf %p, %q : f32
      linalg.yield %y : f32
    } -> tensor<?x?xf32>
    %er = tensor.empty(%h) : tensor<?xf32>
    %f = linalg.fill ins(%z : f32) outs(%er : tensor<?xf32>) -> tensor<?xf32>
    %st = linalg.reduce { arith.addf } ins(%g : tensor<?x?xf32>) outs(%f : tensor<?xf32>) dimensions = [1]
    %ds = egg.place %g to shared swizzle = 128 : tensor<?x?xf32>
    %jb = affine.apply affine_map<(d0) -> (d0 floordiv 16)>(%j)
    scf.forall.in_parallel {
      egg.write %ds into %o[%i, %j] path = tma map = #at : tensor<?x?xf32> into tensor<20x26xf32>
      tensor.parallel_insert_slice %st into %ps[%jb, %i] [1, %h] [1, 1] : tensor<?xf32> into tensor<2x20xf32>
    }
  } {mapping = [#gpu.block<y>, #gpu.block<x>], egg.grid = #egg.grid<order = swizzle 8, persistent, cluster = 2>}
  %rs = tensor.empty() : tensor<20xf32>
  %m = scf.forall (%i) = (0) to (20) step (16) shared_outs(%o = %rs) -> (tensor<20xf32>) {
    %h = affine.min affine_map<(d0) -> (-d0 + 20, 16)>(%i)
    %p = tensor.extract_slice %r#1[0, %i] [2, %h] [1, 1] : tensor<2x20xf32> to tensor<2x?xf32>
    %er = tensor.empty(%h) : tensor<?xf32>
    %f = linalg.fill ins(%z : f32) outs(%er : tensor<?xf32>) -> tensor<?xf32>
    %s = linalg.reduce { arith.addf } ins(%p : tensor<2x?xf32>) outs(%f : tensor<?xf32>) dimensions = [0]
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %s into %o[%i] [%h] [1] : tensor<?xf32> into tensor<20xf32>
    }
  } {mapping = [#gpu.block<x>], egg.join = #egg.join<last_block>}
  return %r#0, %m : tensor<20x26xf32>, tensor<20xf32>
}

func.func private @plain(%A: tensor<20x30xf32>, %B: tensor<30x26xf32>) -> tensor<20x26xf32> {
  %z = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<20x26xf32>
  %f = linalg.fill ins(%z : f32) outs(%e : tensor<20x26xf32>) -> tensor<20x26xf32>
  %m = linalg.matmul ins(%A, %B : tensor<20x30xf32>, tensor<30x26xf32>) outs(%f : tensor<20x26xf32>) -> tensor<20x26xf32>
  return %m : tensor<20x26xf32>
}

// K of 30 in three parts of 10.
func.func private @splitk(%A: tensor<20x30xf32>, %B: tensor<30x26xf32>) -> tensor<20x26xf32> {
  %z = arith.constant 0.0 : f32
  %pe = tensor.empty() : tensor<3x20x26xf32>
  %p = scf.forall (%i, %j, %s) = (0, 0, 0) to (20, 26, 3) step (10, 13, 1) shared_outs(%o = %pe) -> (tensor<3x20x26xf32>) {
    %e = tensor.empty() : tensor<10x13xf32>
    %a0 = linalg.fill ins(%z : f32) outs(%e : tensor<10x13xf32>) -> tensor<10x13xf32>
    %k = affine.apply affine_map<(d0) -> (d0 * 10)>(%s)
    %a = egg.read %A[%i, %k] map = #at : tensor<20x30xf32> -> tensor<10x10xf32>
    %b = egg.read %B[%k, %j] map = #at : tensor<30x26xf32> -> tensor<10x13xf32>
    %m = linalg.matmul {egg.contract = #egg.contract<fma, warps = 4>} ins(%a, %b : tensor<10x10xf32>, tensor<10x13xf32>) outs(%a0 : tensor<10x13xf32>) -> tensor<10x13xf32>
    scf.forall.in_parallel {
      egg.write %m into %o[%s, %i, %j] map = affine_map<(d0, d1)[s0, s1, s2] -> (s0, s1 + d0, s2 + d1)> : tensor<10x13xf32> into tensor<3x20x26xf32>
    }
  } {mapping = [#gpu.block<z>, #gpu.block<y>, #gpu.block<x>]}
  %init = tensor.empty() : tensor<20x26xf32>
  %r = scf.forall (%i, %j) = (0, 0) to (20, 26) step (10, 13) shared_outs(%o = %init) -> (tensor<20x26xf32>) {
    %t = egg.read %p[%i, %j] map = affine_map<(d0, d1, d2)[s0, s1] -> (d0, s0 + d1, s1 + d2)> : tensor<3x20x26xf32> -> tensor<3x10x13xf32>
    %e = tensor.empty() : tensor<10x13xf32>
    %f = linalg.fill ins(%z : f32) outs(%e : tensor<10x13xf32>) -> tensor<10x13xf32>
    %s = linalg.reduce { arith.addf } ins(%t : tensor<3x10x13xf32>) outs(%f : tensor<10x13xf32>) dimensions = [0]
    scf.forall.in_parallel {
      egg.write %s into %o[%i, %j] map = #at : tensor<10x13xf32> into tensor<20x26xf32>
    }
  } {mapping = [#gpu.block<y>, #gpu.block<x>], egg.join = #egg.join<last_block>}
  return %r : tensor<20x26xf32>
}

// The same split, summed by atomics into a result that the caller cleared.
func.func private @splitk_atomic(%A: tensor<20x30xf32>, %B: tensor<30x26xf32>, %C: tensor<20x26xf32> {egg.inout = 0 : index}) -> tensor<20x26xf32> {
  %z = arith.constant 0.0 : f32
  %p = scf.forall (%i, %j, %s) = (0, 0, 0) to (20, 26, 3) step (10, 13, 1) shared_outs(%o = %C) -> (tensor<20x26xf32>) {
    %e = tensor.empty() : tensor<10x13xf32>
    %a0 = linalg.fill ins(%z : f32) outs(%e : tensor<10x13xf32>) -> tensor<10x13xf32>
    %k = affine.apply affine_map<(d0) -> (d0 * 10)>(%s)
    %a = egg.read %A[%i, %k] map = #at : tensor<20x30xf32> -> tensor<10x10xf32>
    %b = egg.read %B[%k, %j] map = #at : tensor<30x26xf32> -> tensor<10x13xf32>
    %m = linalg.matmul ins(%a, %b : tensor<10x10xf32>, tensor<10x13xf32>) outs(%a0 : tensor<10x13xf32>) -> tensor<10x13xf32>
    scf.forall.in_parallel {
      egg.write %m into %o[%i, %j] combine = add path = tma_reduce map = #at : tensor<10x13xf32> into tensor<20x26xf32>
    }
  } {mapping = [#gpu.block<z>, #gpu.block<y>, #gpu.block<x>]}
  return %p : tensor<20x26xf32>
}

// x = hi + lo in f16: three products, the smallest terms first, promoted into an
// f32 sum every 15 of K.
func.func private @gemm3(%A: tensor<20x30xf32>, %B: tensor<30x26xf32>) -> tensor<20x26xf32> {
  %z = arith.constant 0.0 : f32
  %c0 = arith.constant 0 : index
  %c15 = arith.constant 15 : index
  %c30 = arith.constant 30 : index
  %init = tensor.empty() : tensor<20x26xf32>
  %r = scf.forall (%i, %j) = (0, 0) to (20, 26) step (10, 13) shared_outs(%o = %init) -> (tensor<20x26xf32>) {
    %e = tensor.empty() : tensor<10x13xf32>
    %ea = tensor.empty() : tensor<10x15xf16>
    %eb = tensor.empty() : tensor<15x13xf16>
    %a0 = linalg.fill ins(%z : f32) outs(%e : tensor<10x13xf32>) -> tensor<10x13xf32>
    %acc = scf.for %k = %c0 to %c30 step %c15 iter_args(%c = %a0) -> (tensor<10x13xf32>) {
      %a = egg.read %A[%i, %k] map = #at : tensor<20x30xf32> -> tensor<10x15xf32>
      %b = egg.read %B[%k, %j] map = #at : tensor<30x26xf32> -> tensor<15x13xf32>
      %as = egg.place %a to shared copy = tma depth = 3 : tensor<10x15xf32>
      %bs = egg.place %b to shared copy = tma depth = 3 : tensor<15x13xf32>
      %ahl:2 = linalg.generic {indexing_maps = [#id, #id, #id], iterator_types = ["parallel", "parallel"]} ins(%as : tensor<10x15xf32>) outs(%ea, %ea : tensor<10x15xf16>, tensor<10x15xf16>) {
      ^bb0(%x: f32, %u: f16, %v: f16):
        %hi = arith.truncf %x : f32 to f16
        %hx = arith.extf %hi : f16 to f32
        %d = arith.subf %x, %hx : f32
        %lo = arith.truncf %d : f32 to f16
        linalg.yield %hi, %lo : f16, f16
      } -> (tensor<10x15xf16>, tensor<10x15xf16>)
      %bhl:2 = linalg.generic {indexing_maps = [#id, #id, #id], iterator_types = ["parallel", "parallel"]} ins(%bs : tensor<15x13xf32>) outs(%eb, %eb : tensor<15x13xf16>, tensor<15x13xf16>) {
      ^bb0(%x: f32, %u: f16, %v: f16):
        %hi = arith.truncf %x : f32 to f16
        %hx = arith.extf %hi : f16 to f32
        %d = arith.subf %x, %hx : f32
        %lo = arith.truncf %d : f32 to f16
        linalg.yield %hi, %lo : f16, f16
      } -> (tensor<15x13xf16>, tensor<15x13xf16>)
      %ah = egg.place %ahl#0 to registers : tensor<10x15xf16>
      %al = egg.place %ahl#1 to registers : tensor<10x15xf16>
      %p0 = linalg.fill ins(%z : f32) outs(%e : tensor<10x13xf32>) -> tensor<10x13xf32>
      %p1 = linalg.matmul ins(%al, %bhl#0 : tensor<10x15xf16>, tensor<15x13xf16>) outs(%p0 : tensor<10x13xf32>) -> tensor<10x13xf32>
      %p2 = linalg.matmul ins(%ah, %bhl#1 : tensor<10x15xf16>, tensor<15x13xf16>) outs(%p1 : tensor<10x13xf32>) -> tensor<10x13xf32>
      %p3 = linalg.matmul ins(%ah, %bhl#0 : tensor<10x15xf16>, tensor<15x13xf16>) outs(%p2 : tensor<10x13xf32>) -> tensor<10x13xf32>
      %m = linalg.add ins(%p3, %c : tensor<10x13xf32>, tensor<10x13xf32>) outs(%c : tensor<10x13xf32>) -> tensor<10x13xf32>
      scf.yield %m : tensor<10x13xf32>
    }
    scf.forall.in_parallel {
      egg.write %acc into %o[%i, %j] map = #at : tensor<10x13xf32> into tensor<20x26xf32>
    }
  } {mapping = [#gpu.block<y>, #gpu.block<x>]}
  return %r : tensor<20x26xf32>
}

// 10 matrices of 7x7, 4 a block, one a thread: copied flat to shared memory.
func.func private @bmm7(%a: tensor<10x7x7xf32>, %b: tensor<10x7x7xf32>) -> tensor<10x7x7xf32> {
  %z = arith.constant 0.0 : f32
  %init = tensor.empty() : tensor<10x7x7xf32>
  %r = scf.forall (%i) = (0) to (10) step (4) shared_outs(%o = %init) -> (tensor<10x7x7xf32>) {
    %n = affine.min affine_map<(d0) -> (-d0 + 10, 4)>(%i)
    %x = egg.read %a[%i] sizes (%n) map = affine_map<(d0, d1, d2)[s0] -> (s0 + d0, d1, d2)> : tensor<10x7x7xf32> -> tensor<?x7x7xf32>
    %y = egg.read %b[%i] sizes (%n) map = affine_map<(d0, d1, d2)[s0] -> (s0 + d0, d1, d2)> : tensor<10x7x7xf32> -> tensor<?x7x7xf32>
    %xs = egg.place %x to shared copy = bulk : tensor<?x7x7xf32>
    %ys = egg.place %y to shared copy = bulk : tensor<?x7x7xf32>
    %xr = egg.place %xs to registers layout = <[4, 8, 8], register = [[0, 0, 1], [0, 0, 2], [0, 0, 4], [0, 1, 0], [0, 2, 0], [0, 4, 0]], lane = [[1, 0, 0], [2, 0, 0]]> : tensor<?x7x7xf32>
    %e = tensor.empty(%n) : tensor<?x7x7xf32>
    %f = linalg.fill ins(%z : f32) outs(%e : tensor<?x7x7xf32>) -> tensor<?x7x7xf32>
    %m = linalg.batch_matmul ins(%xr, %ys : tensor<?x7x7xf32>, tensor<?x7x7xf32>) outs(%f : tensor<?x7x7xf32>) -> tensor<?x7x7xf32>
    %ms = egg.place %m to shared : tensor<?x7x7xf32>
    scf.forall.in_parallel {
      egg.write %ms into %o[%i] map = affine_map<(d0, d1, d2)[s0] -> (s0 + d0, d1, d2)> : tensor<?x7x7xf32> into tensor<10x7x7xf32>
    }
  } {mapping = [#gpu.block<x>]}
  return %r : tensor<10x7x7xf32>
}

func.func private @check(%a: tensor<20x26xf32>, %b: tensor<20x26xf32>, %tol: f32) {
  %ac = tensor.collapse_shape %a [[0, 1]] : tensor<20x26xf32> into tensor<520xf32>
  %bc = tensor.collapse_shape %b [[0, 1]] : tensor<20x26xf32> into tensor<520xf32>
  %ad = tensor.cast %ac : tensor<520xf32> to tensor<?xf32>
  %bd = tensor.cast %bc : tensor<520xf32> to tensor<?xf32>
  func.call @compare(%ad, %bd, %tol) : (tensor<?xf32>, tensor<?xf32>, f32) -> ()
  return
}

func.func @main() {
  %n600 = arith.constant 600 : index
  %n780 = arith.constant 780 : index
  %n490 = arith.constant 490 : index
  %s1 = arith.constant 1 : index
  %s2 = arith.constant 2 : index
  %z = arith.constant 0.0 : f32
  %tol = arith.constant 2.0e-6 : f32
  %fa = func.call @numbers(%n600, %s1) : (index, index) -> tensor<?xf32>
  %fb = func.call @numbers(%n780, %s2) : (index, index) -> tensor<?xf32>
  %ca = tensor.cast %fa : tensor<?xf32> to tensor<600xf32>
  %cb = tensor.cast %fb : tensor<?xf32> to tensor<780xf32>
  %A = tensor.expand_shape %ca [[0, 1]] output_shape [20, 30] : tensor<600xf32> into tensor<20x30xf32>
  %B = tensor.expand_shape %cb [[0, 1]] output_shape [30, 26] : tensor<780xf32> into tensor<30x26xf32>
  %p = func.call @plain(%A, %B) : (tensor<20x30xf32>, tensor<30x26xf32>) -> tensor<20x26xf32>

  %b1 = func.call @splitk(%A, %B) : (tensor<20x30xf32>, tensor<30x26xf32>) -> tensor<20x26xf32>
  // CHECK: {{^}}0{{$}}
  // CHECK-NEXT: {{^}}5{{[0-9][0-9]$}}
  func.call @check(%b1, %p, %tol) : (tensor<20x26xf32>, tensor<20x26xf32>, f32) -> ()
  %e = tensor.empty() : tensor<20x26xf32>
  %zero = linalg.fill ins(%z : f32) outs(%e : tensor<20x26xf32>) -> tensor<20x26xf32>
  %b2 = func.call @splitk_atomic(%A, %B, %zero) : (tensor<20x30xf32>, tensor<30x26xf32>, tensor<20x26xf32>) -> tensor<20x26xf32>
  // CHECK-NEXT: {{^}}0{{$}}
  // CHECK-NEXT: {{^}}5{{[0-9][0-9]$}}
  func.call @check(%b2, %p, %tol) : (tensor<20x26xf32>, tensor<20x26xf32>, f32) -> ()
  %b3 = func.call @gemm3(%A, %B) : (tensor<20x30xf32>, tensor<30x26xf32>) -> tensor<20x26xf32>
  // CHECK-NEXT: {{^}}0{{$}}
  // CHECK-NEXT: {{^}}5{{[0-9][0-9]$}}
  func.call @check(%b3, %p, %tol) : (tensor<20x26xf32>, tensor<20x26xf32>, f32) -> ()

  // The epilogue, on operands rounded to f16.
  %eha = tensor.empty() : tensor<20x30xf16>
  %ha = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]} ins(%A : tensor<20x30xf32>) outs(%eha : tensor<20x30xf16>) {
  ^bb0(%x: f32, %u: f16):
    %y = arith.truncf %x : f32 to f16
    linalg.yield %y : f16
  } -> tensor<20x30xf16>
  %ehb = tensor.empty() : tensor<30x26xf16>
  %hb = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]} ins(%B : tensor<30x26xf32>) outs(%ehb : tensor<30x26xf16>) {
  ^bb0(%x: f32, %u: f16):
    %y = arith.truncf %x : f32 to f16
    linalg.yield %y : f16
  } -> tensor<30x26xf16>
  %bias = tensor.extract_slice %ca[50] [26] [1] : tensor<600xf32> to tensor<26xf32>
  %r:2 = func.call @epilogue(%ha, %hb, %bias) : (tensor<20x30xf16>, tensor<30x26xf16>, tensor<26xf32>) -> (tensor<20x26xf32>, tensor<20xf32>)
  %pm = linalg.matmul ins(%ha, %hb : tensor<20x30xf16>, tensor<30x26xf16>) outs(%zero : tensor<20x26xf32>) -> tensor<20x26xf32>
  %pg = linalg.generic {indexing_maps = [#id, #col, #id], iterator_types = ["parallel", "parallel"]} ins(%pm, %bias : tensor<20x26xf32>, tensor<26xf32>) outs(%e : tensor<20x26xf32>) {
  ^bb0(%x: f32, %bb: f32, %u: f32):
    %half = arith.constant 0.5 : f32
    %one = arith.constant 1.0 : f32
    %r2 = arith.constant 0.70710678 : f32
    %s = arith.addf %x, %bb : f32
    %t = arith.mulf %s, %r2 : f32
    %er = math.erf %t : f32
    %q = arith.addf %er, %one : f32
    %v = arith.mulf %s, %half : f32
    %y = arith.mulf %q, %v : f32
    linalg.yield %y : f32
  } -> tensor<20x26xf32>
  // CHECK-NEXT: {{^}}0{{$}}
  // CHECK-NEXT: {{^}}5{{[0-9][0-9]$}}
  func.call @check(%r#0, %pg, %tol) : (tensor<20x26xf32>, tensor<20x26xf32>, f32) -> ()
  %e20 = tensor.empty() : tensor<20xf32>
  %z20 = linalg.fill ins(%z : f32) outs(%e20 : tensor<20xf32>) -> tensor<20xf32>
  %ps = linalg.reduce { arith.addf } ins(%pg : tensor<20x26xf32>) outs(%z20 : tensor<20xf32>) dimensions = [1]
  %rd = tensor.cast %r#1 : tensor<20xf32> to tensor<?xf32>
  %pd = tensor.cast %ps : tensor<20xf32> to tensor<?xf32>
  // CHECK-NEXT: {{^}}0{{$}}
  // CHECK-NEXT: {{^}}20{{$}}
  func.call @compare(%rd, %pd, %tol) : (tensor<?xf32>, tensor<?xf32>, f32) -> ()

  // 7x7.
  %f7 = func.call @numbers(%n490, %s1) : (index, index) -> tensor<?xf32>
  %g7 = func.call @numbers(%n490, %s2) : (index, index) -> tensor<?xf32>
  %c7 = tensor.cast %f7 : tensor<?xf32> to tensor<490xf32>
  %d7 = tensor.cast %g7 : tensor<?xf32> to tensor<490xf32>
  %a7 = tensor.expand_shape %c7 [[0, 1, 2]] output_shape [10, 7, 7] : tensor<490xf32> into tensor<10x7x7xf32>
  %b7 = tensor.expand_shape %d7 [[0, 1, 2]] output_shape [10, 7, 7] : tensor<490xf32> into tensor<10x7x7xf32>
  %e7 = tensor.empty() : tensor<10x7x7xf32>
  %z7 = linalg.fill ins(%z : f32) outs(%e7 : tensor<10x7x7xf32>) -> tensor<10x7x7xf32>
  %p7 = linalg.batch_matmul ins(%a7, %b7 : tensor<10x7x7xf32>, tensor<10x7x7xf32>) outs(%z7 : tensor<10x7x7xf32>) -> tensor<10x7x7xf32>
  %r7 = func.call @bmm7(%a7, %b7) : (tensor<10x7x7xf32>, tensor<10x7x7xf32>) -> tensor<10x7x7xf32>
  %pc = tensor.collapse_shape %p7 [[0, 1, 2]] : tensor<10x7x7xf32> into tensor<490xf32>
  %rc = tensor.collapse_shape %r7 [[0, 1, 2]] : tensor<10x7x7xf32> into tensor<490xf32>
  %p7d = tensor.cast %pc : tensor<490xf32> to tensor<?xf32>
  %r7d = tensor.cast %rc : tensor<490xf32> to tensor<?xf32>
  // CHECK-NEXT: {{^}}0{{$}}
  // CHECK-NEXT: {{^}}4{{[0-9][0-9]$}}
  func.call @compare(%r7d, %p7d, %tol) : (tensor<?xf32>, tensor<?xf32>, f32) -> ()
  return
}
