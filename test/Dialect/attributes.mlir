// RUN: egg-opt %s | egg-opt | FileCheck %s

// CHECK-DAG: #[[$ROW:.*]] = #egg.layout<[4, 64], register = {{\[\[}}0, 1], [1, 0], [2, 0]], lane = {{\[\[}}0, 2], [0, 4], [0, 8], [0, 16], [0, 32]]>
// CHECK-DAG: #[[$SMALL:.*]] = #egg.layout<[8], lane = {{\[\[}}1], [2], [4], [0], [0]], block = {{\[\[}}0]]>
// CHECK-DAG: #[[$ODD:.*]] = #egg.layout<[4, 8], warp = {{\[\[}}3, 7]]>

// CHECK-LABEL: @layouts
// CHECK-SAME: tensor<4x64xf32, #[[$ROW]]>, tensor<?xf16, #[[$SMALL]]>, tensor<3x5xf16, #[[$ODD]]>
func.func private @layouts(
  tensor<4x64xf32, #egg.layout<[4, 64], register = [[0, 1], [1, 0], [2, 0]],
    lane = [[0, 2], [0, 4], [0, 8], [0, 16], [0, 32]]>>,
  tensor<?xf16, #egg.layout<[8], lane = [[1], [2], [4], [0], [0]], block = [[0]]>>,
  tensor<3x5xf16, #egg.layout<[4, 8], warp = [[3, 7]]>>)

// CHECK-LABEL: @grid
func.func @grid(%n: index, %o: tensor<128xf32>, %f: tensor<f32>) -> tensor<128xf32> {
  // CHECK: egg.grid = #egg.grid<>
  %a = scf.forall (%i) in (%n) shared_outs(%s = %o) -> (tensor<128xf32>) {
  } {egg.grid = #egg.grid<order = linear, cluster = 1>}
  // CHECK: egg.grid = #egg.grid<order = swizzle 8, persistent, cluster = 2, tiles_in_flight = 2, stream_k, threads = 384, min_blocks = 1, pdl>
  // CHECK-SAME: egg.join = #egg.join<last_block>
  %b = scf.forall (%i) in (%n) shared_outs(%s = %o) -> (tensor<128xf32>) {
  } {egg.join = #egg.join<last_block>, egg.grid = #egg.grid<persistent, pdl, order = swizzle 8, cluster = 2, min_blocks = 1,
                          threads = 384, stream_k, tiles_in_flight = 2>}
  // CHECK: egg.grid = #egg.grid<order = heavy_first>
  %c = scf.forall (%i) in (%n) shared_outs(%s = %o) -> (tensor<128xf32>) {
  } {egg.grid = #egg.grid<order = heavy_first>}
  %c0 = arith.constant 0 : index
  // CHECK: egg.chain = #egg.chain
  // CHECK-SAME: egg.roles = #egg.roles<producer = 4, consumers = 2, producer_registers = 40, consumer_registers = 232>
  scf.for %i = %c0 to %n step %n {
  } {egg.chain = #egg.chain, egg.roles = #egg.roles<producer = 4, consumers = 2,
     producer_registers = 40, consumer_registers = 232>}
  // CHECK: egg.neutral = [0xFF800000 : f32]
  %r = linalg.reduce ins(%c : tensor<128xf32>) outs(%f : tensor<f32>) dimensions = [0] {egg.neutral = [0xFF800000 : f32]}
    (%x: f32, %y: f32) {
      %m = arith.maximumf %x, %y : f32
      linalg.yield %m : f32
    }
  return %c : tensor<128xf32>
}

// CHECK-LABEL: @contract
func.func @contract(%a: tensor<64x16xf16>, %b: tensor<16x64xf16>, %c: tensor<64x64xf32>) -> tensor<64x64xf32> {
  // CHECK: egg.contract = #egg.contract<wgmma m64n256k16, warps = 8>
  %0 = linalg.matmul {egg.contract = #egg.contract<wgmma m64n256k16, warps = 8>} ins(%a, %b : tensor<64x16xf16>, tensor<16x64xf16>) outs(%c : tensor<64x64xf32>) -> tensor<64x64xf32>
  // CHECK: egg.contract = #egg.contract<mma_sync m16n8k16, warps = 4>
  %1 = linalg.matmul {egg.contract = #egg.contract<mma_sync m16n8k16, warps = 4>} ins(%a, %b : tensor<64x16xf16>, tensor<16x64xf16>) outs(%0 : tensor<64x64xf32>) -> tensor<64x64xf32>
  // CHECK: egg.contract = #egg.contract<fma, warps = 1>
  %2 = linalg.matmul {egg.contract = #egg.contract<fma, warps = 1>} ins(%a, %b : tensor<64x16xf16>, tensor<16x64xf16>) outs(%1 : tensor<64x64xf32>) -> tensor<64x64xf32>
  return %2 : tensor<64x64xf32>
}

// CHECK-LABEL: @arguments
// CHECK-SAME: {egg.align = 16 : index, egg.inout = 0 : index, egg.noalias}
// CHECK-SAME: {egg.range = array<i64: 0, 9>}
func.func @arguments(%a: tensor<4xf32> {egg.align = 16 : index, egg.inout = 0 : index, egg.noalias},
                     %b: i32 {egg.range = array<i64: 0, 9>}) -> tensor<4xf32> {
  return %a : tensor<4xf32>
}
