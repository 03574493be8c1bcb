// Kernels that move data: transpose, concat with padding, embedding, a flip, a
// chain with two results, a histogram; each against the plain form.
// RUN: cat %S/Inputs/harness.mlir %s | egg-opt --egg-verify-grid -o %t.mlir
// RUN: egg-opt %t.mlir --egg-lower-ops-to-loops="poison check-bounds" | %run_tensors | FileCheck %s
// RUN: egg-opt %t.mlir --egg-lower-ops-to-loops="order=reversed poison check-bounds" | %run_tensors | FileCheck %s
// RUN: egg-opt %t.mlir --egg-lower-ops-to-loops="order=shuffled poison check-bounds" | %run_tensors | FileCheck %s
// RUN: egg-opt %t.mlir --egg-normalize-block-program --egg-verify-grid --egg-lower-ops-to-loops="poison check-bounds" | %run_tensors | FileCheck %s

#id2 = affine_map<(d0, d1) -> (d0, d1)>

func.func private @transpose(%x: tensor<20x30xf32>) -> tensor<30x20xf32> {
  %init = tensor.empty() : tensor<30x20xf32>
  %r = scf.forall (%i, %j) = (0, 0) to (20, 30) step (8, 8) shared_outs(%o = %init) -> (tensor<30x20xf32>) {
    %h = affine.min affine_map<(d0) -> (-d0 + 20, 8)>(%i)
    %w = affine.min affine_map<(d0) -> (-d0 + 30, 8)>(%j)
    %s = egg.read %x[%i, %j] sizes (%h, %w) map = affine_map<(d0, d1)[s0, s1] -> (s0 + d0, s1 + d1)> : tensor<20x30xf32> -> tensor<?x?xf32>
    %p = egg.place %s to shared pitch = 9 : tensor<?x?xf32>
    %e = tensor.empty(%w, %h) : tensor<?x?xf32>
    %t = linalg.transpose ins(%p : tensor<?x?xf32>) outs(%e : tensor<?x?xf32>) permutation = [1, 0]
    scf.forall.in_parallel {
      egg.write %t into %o[%j, %i] path = staged map = affine_map<(d0, d1)[s0, s1] -> (s0 + d0, s1 + d1)> : tensor<?x?xf32> into tensor<30x20xf32>
    }
  } {mapping = [#gpu.block<y>, #gpu.block<x>]}
  return %r : tensor<30x20xf32>
}

// out = pad(concat(a, b), low 3, high 5): two reads give 0 outside, a select.
func.func private @concat(%a: tensor<6x10xf32>, %b: tensor<6x7xf32>) -> tensor<6x25xf32> {
  %z = arith.constant 0.0 : f32
  %init = tensor.empty() : tensor<6x25xf32>
  %r = scf.forall (%i, %j) = (0, 0) to (6, 25) step (4, 16) shared_outs(%o = %init) -> (tensor<6x25xf32>) {
    %h = affine.min affine_map<(d0) -> (-d0 + 6, 4)>(%i)
    %w = affine.min affine_map<(d0) -> (-d0 + 25, 16)>(%j)
    %e = tensor.empty(%h, %w) : tensor<?x?xf32>
    %ra = egg.read %a[%i, %j] sizes (%h, %w) fill (%z : f32) map = affine_map<(d0, d1)[s0, s1] -> (s0 + d0, s1 + d1 - 3)> : tensor<6x10xf32> -> tensor<?x?xf32>
    %rb = egg.read %b[%i, %j] sizes (%h, %w) fill (%z : f32) map = affine_map<(d0, d1)[s0, s1] -> (s0 + d0, s1 + d1 - 13)> : tensor<6x7xf32> -> tensor<?x?xf32>
    %y = linalg.generic {indexing_maps = [#id2, #id2, #id2], iterator_types = ["parallel", "parallel"]} ins(%ra, %rb : tensor<?x?xf32>, tensor<?x?xf32>) outs(%e : tensor<?x?xf32>) {
    ^bb0(%p: f32, %q: f32, %u: f32):
      %c = linalg.index 1 : index
      %g = arith.addi %c, %j : index
      %k = arith.constant 13 : index
      %lt = arith.cmpi ult, %g, %k : index
      %v = arith.select %lt, %p, %q : f32
      linalg.yield %v : f32
    } -> tensor<?x?xf32>
    scf.forall.in_parallel {
      egg.write %y into %o[%i, %j] map = affine_map<(d0, d1)[s0, s1] -> (s0 + d0, s1 + d1)> : tensor<?x?xf32> into tensor<6x25xf32>
    }
  } {mapping = [#gpu.block<y>, #gpu.block<x>]}
  return %r : tensor<6x25xf32>
}

func.func private @embedding(%t: tensor<20x30xf32>, %ids: tensor<10xi64>) -> tensor<10x30xf32> {
  %init = tensor.empty() : tensor<10x30xf32>
  %r = scf.forall (%i) = (0) to (10) step (4) shared_outs(%o = %init) -> (tensor<10x30xf32>) {
    %h = affine.min affine_map<(d0) -> (-d0 + 10, 4)>(%i)
    %d = egg.read %ids[%i] sizes (%h) map = affine_map<(d0)[s0] -> (s0 + d0)> : tensor<10xi64> -> tensor<?xi64>
    %y = egg.read %t[] gather (%d : tensor<?xi64>) by [affine_map<(d0, d1) -> (d0)>] sizes (%h) map = affine_map<(d0, d1)[s0] -> (s0, d1)> : tensor<20x30xf32> -> tensor<?x30xf32>
    scf.forall.in_parallel {
      egg.write %y into %o[%i] map = affine_map<(d0, d1)[s0] -> (s0 + d0, d1)> : tensor<?x30xf32> into tensor<10x30xf32>
    }
  } {mapping = [#gpu.block<x>]}
  return %r : tensor<10x30xf32>
}

// Rows backwards, by a map with a negative sign.
func.func private @flip(%x: tensor<20x30xf32>) -> tensor<20x30xf32> {
  %init = tensor.empty() : tensor<20x30xf32>
  %r = scf.forall (%i) = (0) to (20) step (4) shared_outs(%o = %init) -> (tensor<20x30xf32>) {
    %s = egg.read %x[%i] map = affine_map<(d0, d1)[s0] -> (s0 + d0, 29 - d1)> : tensor<20x30xf32> -> tensor<4x30xf32>
    scf.forall.in_parallel {
      egg.write %s into %o[%i] map = affine_map<(d0, d1)[s0] -> (s0 + d0, d1)> : tensor<4x30xf32> into tensor<20x30xf32>
    }
  } {mapping = [#gpu.block<x>]}
  return %r : tensor<20x30xf32>
}

// relu(x + y) and whether it is positive, of an odd number of elements.
func.func private @two(%x: tensor<601xf32>, %y: tensor<601xf32>) -> (tensor<601xf32>, tensor<601xi8>) {
  %z = arith.constant 0.0 : f32
  %i0 = tensor.empty() : tensor<601xf32>
  %i1 = tensor.empty() : tensor<601xi8>
  %r:2 = scf.forall (%b) = (0) to (601) step (128) shared_outs(%o = %i0, %p = %i1) -> (tensor<601xf32>, tensor<601xi8>) {
    %n = affine.min affine_map<(d0) -> (-d0 + 601, 128)>(%b)
    %s = tensor.extract_slice %x[%b] [%n] [1] : tensor<601xf32> to tensor<?xf32>
    %t = tensor.extract_slice %y[%b] [%n] [1] : tensor<601xf32> to tensor<?xf32>
    %e = tensor.empty(%n) : tensor<?xf32>
    %e8 = tensor.empty(%n) : tensor<?xi8>
    %u:2 = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]}
        ins(%s, %t : tensor<?xf32>, tensor<?xf32>) outs(%e, %e8 : tensor<?xf32>, tensor<?xi8>) {
    ^bb0(%a: f32, %c: f32, %v: f32, %w: i8):
      %q = arith.addf %a, %c : f32
      %m = arith.maximumf %q, %z : f32
      %g = arith.cmpf ogt, %q, %z : f32
      %h = arith.extui %g : i1 to i8
      linalg.yield %m, %h : f32, i8
    } -> (tensor<?xf32>, tensor<?xi8>)
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %u#0 into %o[%b] [%n] [1] : tensor<?xf32> into tensor<601xf32>
      tensor.parallel_insert_slice %u#1 into %p[%b] [%n] [1] : tensor<?xi8> into tensor<601xi8>
    }
  } {mapping = [#gpu.block<x>]}
  return %r#0, %r#1 : tensor<601xf32>, tensor<601xi8>
}

// A histogram and a maximum a bin: scatters that combine into tied arguments.
func.func private @histogram(%ids: tensor<601xi8>, %x: tensor<601xf32>, %h: tensor<2xi32> {egg.inout = 0 : index}, %m: tensor<2xf32> {egg.inout = 1 : index}) -> (tensor<2xi32>, tensor<2xf32>) {
  %one = arith.constant 1 : i32
  %r:2 = scf.forall (%b) = (0) to (601) step (128) shared_outs(%o = %h, %p = %m) -> (tensor<2xi32>, tensor<2xf32>) {
    %n = affine.min affine_map<(d0) -> (-d0 + 601, 128)>(%b)
    %d = egg.read %ids[%b] sizes (%n) map = affine_map<(d0)[s0] -> (s0 + d0)> : tensor<601xi8> -> tensor<?xi8>
    %v = egg.read %x[%b] sizes (%n) map = affine_map<(d0)[s0] -> (s0 + d0)> : tensor<601xf32> -> tensor<?xf32>
    %e = tensor.empty(%n) : tensor<?xi32>
    %f = linalg.fill ins(%one : i32) outs(%e : tensor<?xi32>) -> tensor<?xi32>
    scf.forall.in_parallel {
      egg.write %f into %o[] scatter (%d : tensor<?xi8>) by [affine_map<(d0) -> (d0)>] combine = add map = affine_map<(d0)[s0] -> (s0)> : tensor<?xi32> into tensor<2xi32>
      egg.write %v into %p[] scatter (%d : tensor<?xi8>) by [affine_map<(d0) -> (d0)>] combine = max map = affine_map<(d0)[s0] -> (s0)> : tensor<?xf32> into tensor<2xf32>
    }
  } {mapping = [#gpu.block<x>]}
  return %r#0, %r#1 : tensor<2xi32>, tensor<2xf32>
}

func.func private @same(%a: tensor<?xf32>, %b: tensor<?xf32>) {
  %tol = arith.constant 0.0 : f32
  func.call @compare(%a, %b, %tol) : (tensor<?xf32>, tensor<?xf32>, f32) -> ()
  return
}

func.func @main() {
  %n = arith.constant 601 : index
  %s1 = arith.constant 1 : index
  %s2 = arith.constant 2 : index
  %f = func.call @numbers(%n, %s1) : (index, index) -> tensor<?xf32>
  %g = func.call @numbers(%n, %s2) : (index, index) -> tensor<?xf32>
  %x = tensor.cast %f : tensor<?xf32> to tensor<601xf32>
  %y = tensor.cast %g : tensor<?xf32> to tensor<601xf32>
  %x6 = tensor.extract_slice %x[0] [600] [1] : tensor<601xf32> to tensor<600xf32>
  %m = tensor.expand_shape %x6 [[0, 1]] output_shape [20, 30] : tensor<600xf32> into tensor<20x30xf32>

  // The transpose, by linalg.
  %te = tensor.empty() : tensor<30x20xf32>
  %tp = linalg.transpose ins(%m : tensor<20x30xf32>) outs(%te : tensor<30x20xf32>) permutation = [1, 0]
  %tb = func.call @transpose(%m) : (tensor<20x30xf32>) -> tensor<30x20xf32>
  %tpc = tensor.collapse_shape %tp [[0, 1]] : tensor<30x20xf32> into tensor<600xf32>
  %tbc = tensor.collapse_shape %tb [[0, 1]] : tensor<30x20xf32> into tensor<600xf32>
  %tpd = tensor.cast %tpc : tensor<600xf32> to tensor<?xf32>
  %tbd = tensor.cast %tbc : tensor<600xf32> to tensor<?xf32>
  // CHECK: {{^}}0{{$}}
  // CHECK-NEXT: {{^}}600{{$}}
  func.call @same(%tbd, %tpd) : (tensor<?xf32>, tensor<?xf32>) -> ()

  // Concatenation and padding, by insert_slice.
  %a = tensor.extract_slice %m[0, 0] [6, 10] [1, 1] : tensor<20x30xf32> to tensor<6x10xf32>
  %b = tensor.extract_slice %m[6, 10] [6, 7] [1, 1] : tensor<20x30xf32> to tensor<6x7xf32>
  %z = arith.constant 0.0 : f32
  %ce = tensor.empty() : tensor<6x25xf32>
  %cz = linalg.fill ins(%z : f32) outs(%ce : tensor<6x25xf32>) -> tensor<6x25xf32>
  %ca = tensor.insert_slice %a into %cz[0, 3] [6, 10] [1, 1] : tensor<6x10xf32> into tensor<6x25xf32>
  %cp = tensor.insert_slice %b into %ca[0, 13] [6, 7] [1, 1] : tensor<6x7xf32> into tensor<6x25xf32>
  %cb = func.call @concat(%a, %b) : (tensor<6x10xf32>, tensor<6x7xf32>) -> tensor<6x25xf32>
  %cpc = tensor.collapse_shape %cp [[0, 1]] : tensor<6x25xf32> into tensor<150xf32>
  %cbc = tensor.collapse_shape %cb [[0, 1]] : tensor<6x25xf32> into tensor<150xf32>
  %cpd = tensor.cast %cpc : tensor<150xf32> to tensor<?xf32>
  %cbd = tensor.cast %cbc : tensor<150xf32> to tensor<?xf32>
  // CHECK-NEXT: {{^}}0{{$}}
  // CHECK-NEXT: {{^}}102{{$}}
  func.call @same(%cbd, %cpd) : (tensor<?xf32>, tensor<?xf32>) -> ()

  // Rows by number.
  %ids = arith.constant dense<[3, 19, 0, 3, 7, 11, 5, 18, 1, 2]> : tensor<10xi64>
  %ee = tensor.empty() : tensor<10x30xf32>
  %ep = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0)>, #id2], iterator_types = ["parallel", "parallel"]} ins(%ids : tensor<10xi64>) outs(%ee : tensor<10x30xf32>) {
  ^bb0(%k: i64, %u: f32):
    %q = arith.index_cast %k : i64 to index
    %c = linalg.index 1 : index
    %v = tensor.extract %m[%q, %c] : tensor<20x30xf32>
    linalg.yield %v : f32
  } -> tensor<10x30xf32>
  %eb = func.call @embedding(%m, %ids) : (tensor<20x30xf32>, tensor<10xi64>) -> tensor<10x30xf32>
  %epc = tensor.collapse_shape %ep [[0, 1]] : tensor<10x30xf32> into tensor<300xf32>
  %ebc = tensor.collapse_shape %eb [[0, 1]] : tensor<10x30xf32> into tensor<300xf32>
  %epd = tensor.cast %epc : tensor<300xf32> to tensor<?xf32>
  %ebd = tensor.cast %ebc : tensor<300xf32> to tensor<?xf32>
  // CHECK-NEXT: {{^}}0{{$}}
  // CHECK-NEXT: {{^}}300{{$}}
  func.call @same(%ebd, %epd) : (tensor<?xf32>, tensor<?xf32>) -> ()

  // Backwards.
  %fe = tensor.empty() : tensor<20x30xf32>
  %fp = linalg.generic {indexing_maps = [#id2], iterator_types = ["parallel", "parallel"]} outs(%fe : tensor<20x30xf32>) {
  ^bb0(%u: f32):
    %i = linalg.index 0 : index
    %j = linalg.index 1 : index
    %c29 = arith.constant 29 : index
    %k = arith.subi %c29, %j : index
    %v = tensor.extract %m[%i, %k] : tensor<20x30xf32>
    linalg.yield %v : f32
  } -> tensor<20x30xf32>
  %fb = func.call @flip(%m) : (tensor<20x30xf32>) -> tensor<20x30xf32>
  %fpc = tensor.collapse_shape %fp [[0, 1]] : tensor<20x30xf32> into tensor<600xf32>
  %fbc = tensor.collapse_shape %fb [[0, 1]] : tensor<20x30xf32> into tensor<600xf32>
  %fpd = tensor.cast %fpc : tensor<600xf32> to tensor<?xf32>
  %fbd = tensor.cast %fbc : tensor<600xf32> to tensor<?xf32>
  // CHECK-NEXT: {{^}}0{{$}}
  // CHECK-NEXT: {{^}}600{{$}}
  func.call @same(%fbd, %fpd) : (tensor<?xf32>, tensor<?xf32>) -> ()

  // The two results, and then per bin of the second the count and the maximum of
  // the first: half of the numbers are positive, and the maximum of the rest is 0.
  %t:2 = func.call @two(%x, %y) : (tensor<601xf32>, tensor<601xf32>) -> (tensor<601xf32>, tensor<601xi8>)
  %pe = tensor.empty() : tensor<601xf32>
  %pp = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]} ins(%x, %y : tensor<601xf32>, tensor<601xf32>) outs(%pe : tensor<601xf32>) {
  ^bb0(%p: f32, %q: f32, %u: f32):
    %v = arith.addf %p, %q : f32
    %w = arith.maximumf %v, %z : f32
    linalg.yield %w : f32
  } -> tensor<601xf32>
  %ppd = tensor.cast %pp : tensor<601xf32> to tensor<?xf32>
  %pbd = tensor.cast %t#0 : tensor<601xf32> to tensor<?xf32>
  // CHECK-NEXT: {{^}}0{{$}}
  // CHECK-NEXT: {{^}}[[POSITIVE:[0-9]+]]{{$}}
  func.call @same(%pbd, %ppd) : (tensor<?xf32>, tensor<?xf32>) -> ()
  %h0 = arith.constant dense<0> : tensor<2xi32>
  %m0 = arith.constant dense<-1.0> : tensor<2xf32>
  %h:2 = func.call @histogram(%t#1, %t#0, %h0, %m0) : (tensor<601xi8>, tensor<601xf32>, tensor<2xi32>, tensor<2xf32>) -> (tensor<2xi32>, tensor<2xf32>)
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %bin0 = tensor.extract %h#0[%c0] : tensor<2xi32>
  %bin1 = tensor.extract %h#0[%c1] : tensor<2xi32>
  %sum = arith.addi %bin0, %bin1 : i32
  // CHECK-NEXT: {{^}}601{{$}}
  vector.print %sum : i32
  // CHECK-NEXT: {{^}}[[POSITIVE]]{{$}}
  vector.print %bin1 : i32
  %max0 = tensor.extract %h#1[%c0] : tensor<2xf32>
  // CHECK-NEXT: {{^}}0{{$}}
  vector.print %max0 : f32
  return
}
