// RUN: egg-opt %s -allow-unregistered-dialect -split-input-file -verify-diagnostics

// expected-error@+1 {{the hull of a layout is made of powers of two, and 6 is none}}
func.func private @f(tensor<6xf32, #egg.layout<[6]>>)

// -----

// expected-error@+1 {{a layout has 1 to 16 dimensions, not 0}}
func.func private @f(tensor<f32, #egg.layout<[]>>)

// -----

// expected-error@+1 {{the hull of a layout has at most 62 bits, not 80}}
func.func private @f(tensor<?x?xf32, #egg.layout<[1099511627776, 1099511627776]>>)

// -----

// expected-error@+1 {{base 1 of 'lane' has coordinate 8 in dimension 0, whose hull is 8}}
func.func private @f(tensor<8xf32, #egg.layout<[8], lane = [[1], [8]]>>)

// -----

// expected-error@+1 {{base 0 of 'warp' has coordinate -1 in dimension 0, whose hull is 8}}
func.func private @f(tensor<8xf32, #egg.layout<[8], warp = [[-1]]>>)

// -----

// expected-error@+1 {{a base has 2 coordinates, one a dimension of the hull, not 1}}
func.func private @f(tensor<8x8xf32, #egg.layout<[8, 8], lane = [[1]]>>)

// -----

// expected-error@+1 {{'lane' has at most 5 bits, not 6}}
func.func private @f(tensor<8xf32, #egg.layout<[8], lane = [[0], [0], [0], [0], [0], [0]]>>)

// -----

// expected-error@+1 {{a layout has register, lane, warp and block bits, no 'thread'}}
func.func private @f(tensor<8xf32, #egg.layout<[8], thread = [[0]]>>)

// -----

// expected-error@+1 {{'lane' is given twice}}
func.func private @f(tensor<8xf32, #egg.layout<[8], lane = [[1]], lane = [[1]]>>)

// -----

// expected-error@+1 {{a tensor of rank 2 cannot have a layout of rank 1}}
func.func private @f(tensor<8x8xf32, #egg.layout<[8]>>)

// -----

// expected-error@+1 {{dimension 0 of 9 elements needs a hull of 16, not 8}}
func.func private @f(tensor<9xf32, #egg.layout<[8]>>)

// -----

// expected-error@+1 {{a cluster has 1, 2, 4, 8 or 16 blocks, not 3}}
"test.op"() {a = #egg.grid<cluster = 3>} : () -> ()

// -----

// expected-error@+1 {{a swizzle of 0 is not from 1 to 65536}}
"test.op"() {a = #egg.grid<order = swizzle 0>} : () -> ()

// -----

// expected-error@+1 {{the order of a grid is linear, swizzle, hilbert or heavy_first, not 'best'}}
"test.op"() {a = #egg.grid<order = best>} : () -> ()

// -----

// expected-error@+1 {{2 tiles in flight need a persistent grid}}
"test.op"() {a = #egg.grid<tiles_in_flight = 2>} : () -> ()

// -----

// expected-error@+1 {{1 to 4 tiles are in flight, not 5}}
"test.op"() {a = #egg.grid<persistent, tiles_in_flight = 5>} : () -> ()

// -----

// expected-error@+1 {{stream_k needs a persistent grid}}
"test.op"() {a = #egg.grid<stream_k>} : () -> ()

// -----

// expected-error@+1 {{a block has a multiple of 32 threads up to 1024, not 100}}
"test.op"() {a = #egg.grid<threads = 100>} : () -> ()

// -----

// expected-error@+1 {{at most 32 blocks fit on a multiprocessor, not 33}}
"test.op"() {a = #egg.grid<min_blocks = 33>} : () -> ()

// -----

// expected-error@+1 {{a grid has order, persistent, cluster, tiles_in_flight, stream_k, threads, min_blocks and pdl, no 'warps'}}
"test.op"() {a = #egg.grid<warps = 3>} : () -> ()

// -----

// expected-error@+1 {{'cluster' is given twice}}
"test.op"() {a = #egg.grid<cluster = 2, cluster = 4>} : () -> ()

// -----

// expected-error@+1 {{-1 is not from 1 to 1048576}}
"test.op"() {a = #egg.grid<threads = -1>} : () -> ()

// -----

// expected-error@+1 {{the instruction of a contraction is fma, mma_sync or wgmma, not 'imma'}}
"test.op"() {a = #egg.contract<imma m8n8k8, warps = 1>} : () -> ()

// -----

// expected-error@+1 {{the shape of an instruction is written m64n256k16, not 'm64xn256'}}
"test.op"() {a = #egg.contract<wgmma m64xn256, warps = 4>} : () -> ()

// -----

// expected-error@+1 {{wgmma has shape m64nNkK, N a multiple of 8 from 8 to 256 and K 8, 16 or 32, not m64n260k16}}
"test.op"() {a = #egg.contract<wgmma m64n260k16, warps = 4>} : () -> ()

// -----

// expected-error@+1 {{wgmma is issued by groups of 4 warps, and 6 is no multiple of 4}}
"test.op"() {a = #egg.contract<wgmma m64n64k16, warps = 6>} : () -> ()

// -----

// expected-error@+1 {{mma_sync has shape m16n8k4, m16n8k8, m16n8k16 or m16n8k32, not m16n16k16}}
"test.op"() {a = #egg.contract<mma_sync m16n16k16, warps = 4>} : () -> ()

// -----

// expected-error@+1 {{1 to 32 warps share a contraction, not 64}}
"test.op"() {a = #egg.contract<fma, warps = 64>} : () -> ()

// -----

// expected-error@+1 {{roles have 1 to 4 producer warps, not 0}}
"test.op"() {a = #egg.roles<consumers = 2>} : () -> ()

// -----

// expected-error@+1 {{roles have 1 to 7 consumer warp groups, not 8}}
"test.op"() {a = #egg.roles<producer = 1, consumers = 8>} : () -> ()

// -----

// expected-error@+1 {{registers a thread are a multiple of 8 from 24 to 240, not 250}}
"test.op"() {a = #egg.roles<producer = 1, consumers = 2, consumer_registers = 250>} : () -> ()

// -----

// expected-error@+1 {{roles have producer, consumers, producer_registers and consumer_registers, no 'warps'}}
"test.op"() {a = #egg.roles<warps = 1>} : () -> ()

// -----

func.func @f(%n: index) {
  // expected-error@+1 {{cannot carry 'egg.grid', which belongs on scf.forall}}
  scf.for %i = %n to %n step %n {} {egg.grid = #egg.grid<>}
  return
}

// -----

func.func @f(%n: index) {
  // expected-error@+1 {{has 'egg.grid' = 3 : i64, which must be #egg.grid<...>}}
  scf.forall (%i) in (%n) {} {egg.grid = 3}
  return
}

// -----

func.func @f(%n: index) {
  // expected-error@+1 {{has 'egg.join' = "last_block", which must be #egg.join<...>}}
  scf.forall (%i) in (%n) {} {egg.join = "last_block"}
  return
}

// -----

func.func @f(%n: index) {
  // expected-error@+1 {{cannot carry 'egg.contract', which belongs on an op of linalg}}
  scf.forall (%i) in (%n) {} {egg.contract = #egg.contract<fma, warps = 1>}
  return
}

// -----

func.func @f(%n: index) {
  // expected-error@+1 {{cannot carry 'egg.chain', which belongs on scf.for}}
  scf.forall (%i) in (%n) {} {egg.chain = #egg.chain}
  return
}

// -----

func.func @f(%n: index) {
  // expected-error@+1 {{cannot carry 'egg.roles', which belongs on scf.for or scf.forall}}
  %0 = arith.addi %n, %n {egg.roles = #egg.roles<producer = 1, consumers = 1>} : index
  return
}

// -----

func.func @f(%x: tensor<4xf32>, %i: tensor<f32>) -> tensor<f32> {
  // expected-error@+1 {{has neutral value 0 : i64 for result 0, whose elements are 'f32'}}
  %r = linalg.reduce ins(%x : tensor<4xf32>) outs(%i : tensor<f32>) dimensions = [0] {egg.neutral = [0]}
    (%a: f32, %b: f32) {
      %m = arith.addf %a, %b : f32
      linalg.yield %m : f32
    }
  return %r : tensor<f32>
}

// -----

func.func @f(%x: tensor<4xf32>, %i: tensor<f32>) -> tensor<f32> {
  // expected-error@+1 {{has 2 neutral values for 1 results}}
  %r = linalg.reduce ins(%x : tensor<4xf32>) outs(%i : tensor<f32>) dimensions = [0] {egg.neutral = [0.0 : f32, 0.0 : f32]}
    (%a: f32, %b: f32) {
      %m = arith.addf %a, %b : f32
      linalg.yield %m : f32
    }
  return %r : tensor<f32>
}

// -----

// expected-error@+1 {{argument 0 has 'egg.inout' = -1 : i64, which must be the number of a result, as an integer}}
func.func private @f(%a: tensor<4xf32> {egg.inout = -1})

// -----

// expected-error@+1 {{argument 0 has 'egg.align' = 24 : i64, which must be a number of bytes that is a power of two}}
func.func private @f(%a: tensor<4xf32> {egg.align = 24})

// -----

// expected-error@+1 {{argument 0 has 'egg.noalias' = true, which must have no value}}
func.func private @f(%a: tensor<4xf32> {egg.noalias = true})

// -----

// expected-error@+1 {{argument 0 has 'egg.range' = array<i64: 3, 1>, which must be array<i64: least, most>}}
func.func private @f(%a: i32 {egg.range = array<i64: 3, 1>})
