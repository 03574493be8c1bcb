// What the tests of this folder share; cat puts it before each of them.

// Numbers from -1 to 1, another row of them for each seed.
func.func private @numbers(%n: index, %seed: index) -> tensor<?xf32> {
  %e = tensor.empty(%n) : tensor<?xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]} outs(%e : tensor<?xf32>) {
  ^bb0(%u: f32):
    %i = linalg.index 0 : index
    %c1 = arith.constant 7919 : index
    %c2 = arith.constant 104729 : index
    %c3 = arith.constant 2001 : index
    %a = arith.muli %i, %c1 : index
    %b = arith.muli %seed, %c2 : index
    %c = arith.addi %a, %b : index
    %aa = arith.muli %c, %c : index
    %d = arith.addi %aa, %c : index
    %m = arith.remui %d, %c3 : index
    %k = arith.index_cast %m : index to i64
    %f = arith.sitofp %k : i64 to f32
    %s = arith.constant 1.0e-3 : f32
    %o = arith.constant 1.0 : f32
    %g = arith.mulf %f, %s : f32
    %h = arith.subf %g, %o : f32
    linalg.yield %h : f32
  } -> tensor<?xf32>
  return %r : tensor<?xf32>
}

// Prints how many elements differ (by more than tolerance * (1 + |b|), or as
// NaN), then how many of b are not near 0: a check that there was something.
func.func private @compare(%a: tensor<?xf32>, %b: tensor<?xf32>, %tolerance: f32) {
  %z = arith.constant 0 : i64
  %e = tensor.empty() : tensor<i64>
  %f = linalg.fill ins(%z : i64) outs(%e : tensor<i64>) -> tensor<i64>
  %r:2 = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>, affine_map<(d0) -> ()>, affine_map<(d0) -> ()>], iterator_types = ["reduction"]}
      ins(%a, %b : tensor<?xf32>, tensor<?xf32>) outs(%f, %f : tensor<i64>, tensor<i64>) {
  ^bb0(%x: f32, %y: f32, %n: i64, %k: i64):
    %one = arith.constant 1.0 : f32
    %small = arith.constant 1.0e-4 : f32
    %d = arith.subf %x, %y : f32
    %ad = math.absf %d : f32
    %ay = math.absf %y : f32
    %s = arith.addf %ay, %one : f32
    %t = arith.mulf %s, %tolerance : f32
    %bad = arith.cmpf ugt, %ad, %t : f32
    %w = arith.extui %bad : i1 to i64
    %m = arith.addi %n, %w : i64
    %big = arith.cmpf ogt, %ay, %small : f32
    %v = arith.extui %big : i1 to i64
    %l = arith.addi %k, %v : i64
    linalg.yield %m, %l : i64, i64
  } -> (tensor<i64>, tensor<i64>)
  %p = tensor.extract %r#0[] : tensor<i64>
  %q = tensor.extract %r#1[] : tensor<i64>
  vector.print %p : i64
  vector.print %q : i64
  return
}
