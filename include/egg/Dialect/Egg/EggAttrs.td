//===- EggAttrs.td - attributes of the egg dialect ---------*- tablegen -*-===//
//
// Part of egg, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef EGG_DIALECT_EGG_EGGATTRS
#define EGG_DIALECT_EGG_EGGATTRS

include "egg/Dialect/Egg/EggDialect.td"

include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/EnumAttr.td"
include "mlir/IR/TensorEncoding.td"

//===----------------------------------------------------------------------===//
// Enumerations
//===----------------------------------------------------------------------===//

class Egg_Enum<string name, string summary, list<I32EnumAttrCase> cases>
    : I32EnumAttr<name, summary, cases> {
  let cppNamespace = "::egg::ir";
  let genSpecializedAttr = 0;
}

class Egg_EnumAttr<I32EnumAttr info, string mnemonic>
    : EnumAttr<Egg_Dialect, info, mnemonic>;

def Egg_Space : Egg_Enum<"Space", "where a value lives", [
  I32EnumAttrCase<"registers", 0>,
  I32EnumAttrCase<"shared", 1>]>;
def Egg_SpaceAttr : Egg_EnumAttr<Egg_Space, "space"> {
  let description = [{
    `registers` of the block's threads, or `shared` memory of the block.
  }];
}

def Egg_Copy : Egg_Enum<"Copy", "how a value gets into shared memory", [
  I32EnumAttrCase<"automatic", 0, "auto">,
  I32EnumAttrCase<"ld", 1>,
  I32EnumAttrCase<"cp_async", 2>,
  I32EnumAttrCase<"bulk", 3>,
  I32EnumAttrCase<"tma", 4>]>;
def Egg_CopyAttr : Egg_EnumAttr<Egg_Copy, "copy"> {
  let description = [{
    `auto` leaves it to the lowering; `ld` loads and stores through registers;
    `cp_async` copies asynchronously, 4 to 16 bytes a thread; `bulk` copies a
    contiguous range; `tma` copies a box by the tensor memory accelerator.
  }];
}

def Egg_Hint : Egg_Enum<"Hint", "what to tell the caches", [
  I32EnumAttrCase<"none", 0>,
  I32EnumAttrCase<"stream", 1>,
  I32EnumAttrCase<"keep", 2>]>;
def Egg_HintAttr : Egg_EnumAttr<Egg_Hint, "hint"> {
  let description = [{
    `stream` data is used once and may leave the caches first; `keep` data is
    used again and should leave last.
  }];
}

def Egg_Combine : Egg_Enum<"Combine", "how a write meets what is there", [
  I32EnumAttrCase<"none", 0>,
  I32EnumAttrCase<"add", 1>,
  I32EnumAttrCase<"min", 2>,
  I32EnumAttrCase<"max", 3>,
  I32EnumAttrCase<"band", 4, "and">,
  I32EnumAttrCase<"bor", 5, "or">]>;
def Egg_CombineAttr : Egg_EnumAttr<Egg_Combine, "combine"> {
  let description = [{
    `none` replaces. The others read, combine and write. `min` and `max` of
    integers are signed; of floats, a NaN on either side gives NaN. `add` of
    floats depends on the order of iterations, so a kernel that uses it is
    nondeterministic in its last bits.
  }];
}

def Egg_Path : Egg_Enum<"Path", "how a tile gets to global memory", [
  I32EnumAttrCase<"direct", 0>,
  I32EnumAttrCase<"staged", 1>,
  I32EnumAttrCase<"tma", 2>,
  I32EnumAttrCase<"tma_reduce", 3>]>;
def Egg_PathAttr : Egg_EnumAttr<Egg_Path, "path"> {
  let description = [{
    `direct` from registers; `staged` through shared memory, so that stores are
    wide; `tma` and `tma_reduce` through shared memory by the tensor memory
    accelerator, the latter combining.
  }];
}

def Egg_Join : Egg_Enum<"Join", "how a grid stage follows earlier ones", [
  I32EnumAttrCase<"launch", 0>,
  I32EnumAttrCase<"last_block", 1>,
  I32EnumAttrCase<"grid_barrier", 2>,
  I32EnumAttrCase<"atomic", 3>,
  I32EnumAttrCase<"side_by_side", 4>]>;
def Egg_JoinAttr : Egg_EnumAttr<Egg_Join, "join"> {
  let summary = "how a grid stage follows the stages before it";
  let description = [{
    - `launch`: a kernel of its own. The default.
    - `last_block`: run by the block that arrives last in the group of earlier
      blocks that the iteration reads.
    - `grid_barrier`: in the same kernel after a barrier of all blocks, which
      must be resident together.
    - `atomic`: the stage is one commutative reduction, done by atomics of the
      earlier stage.
    - `side_by_side`: does not depend on the earlier stage; both run in one
      launch.
  }];
  let assemblyFormat = "`<` $value `>`";
}

def Egg_Order : Egg_Enum<"Order", "in which order blocks take tiles", [
  I32EnumAttrCase<"linear", 0>,
  I32EnumAttrCase<"swizzle", 1>,
  I32EnumAttrCase<"hilbert", 2>,
  I32EnumAttrCase<"heavy_first", 3>]>;

def Egg_Instruction : Egg_Enum<"Instruction", "what multiplies", [
  I32EnumAttrCase<"fma", 0>,
  I32EnumAttrCase<"mma_sync", 1>,
  I32EnumAttrCase<"wgmma", 2>]>;

//===----------------------------------------------------------------------===//
// Attributes
//===----------------------------------------------------------------------===//

class Egg_Attr<string name, string attrMnemonic, list<Trait> traits = []>
    : AttrDef<Egg_Dialect, name, traits> {
  let mnemonic = attrMnemonic;
}

def Egg_LayoutAttr : Egg_Attr<"Layout", "layout",
    [DeclareAttrInterfaceMethods<VerifiableTensorEncoding>]> {
  let summary = "which register of which thread holds an element";
  let description = [{
    A linear map over GF(2) from the bits of (block in the cluster, warp, lane,
    register) to the coordinates of a tile, on its power-of-two hull. Per
    hardware dimension there is one base a bit, lowest bit first: the
    coordinates that this bit alone goes to; an input goes to the xor of the
    bases of its bits. A base of zeros means copies; a dimension that is not
    listed has no bits. Elements of the hull outside the tile do not exist.

    As a tensor's encoding, the hull must be the shape's: each static extent
    rounded up to a power of two. A dynamic extent may have any hull, which is
    then its upper bound. A tensor of rank 0 needs no layout: every thread holds
    it.

    Example: 4 x 64 elements in one warp, two a thread side by side in a row,
    lanes along the row, rows in registers:

    ```mlir
    #egg.layout<[4, 64],
      register = [[0, 1], [1, 0], [2, 0]],
      lane = [[0, 2], [0, 4], [0, 8], [0, 16], [0, 32]]>
    ```

    Limits: at most 12 register bits, 5 lane bits, 5 warp bits, 4 block bits and
    62 bits of hull.
  }];
  let parameters = (ins
    ArrayRefParameter<"int64_t", "powers of two">:$hull,
    ArrayRefParameter<"int64_t", "coordinates, bit by bit">:$registers,
    ArrayRefParameter<"int64_t">:$lanes,
    ArrayRefParameter<"int64_t">:$warps,
    ArrayRefParameter<"int64_t">:$blocks);
  let hasCustomAssemblyFormat = 1;
  let genVerifyDecl = 1;
  let extraClassDeclaration = [{
    /// `layout` has inputs out of block, warp, lane, register and outputs dim0,
    /// dim1, ...; it must keep the limits.
    static LayoutAttr get(::mlir::MLIRContext *context,
                          const ::egg::LinearLayout &layout);
    /// Inputs block, warp, lane, register, in this order.
    ::egg::LinearLayout getLinearLayout() const;
  }];
}

def Egg_GridAttr : Egg_Attr<"Grid", "grid"> {
  let summary = "how the iterations of a grid stage meet blocks";
  let description = [{
    All fields are optional and none changes a result:

    - `order = linear | swizzle N | hilbert | heavy_first`: in which order tiles
      are taken. `swizzle N` goes down N rows of tiles before the next column,
      for reuse in L2; `heavy_first` takes the iterations with the longest loops
      first.
    - `persistent`: as many blocks as fit, each taking several tiles.
    - `cluster = N`: N neighbouring blocks form a cluster (a power of two, at
      most 16).
    - `tiles_in_flight = N`: output tiles that consumers work on alternately.
    - `stream_k`: the last wave's tiles are split along their loop.
    - `threads = N`: threads of a block (a multiple of 32, at most 1024).
    - `min_blocks = N`: blocks that must fit on a multiprocessor, which caps
      registers (at most 32).
    - `pdl`: may start before the kernel ahead of it ends.

    Example: `#egg.grid<order = swizzle 8, persistent, cluster = 2>`
  }];
  let parameters = (ins
    "Order":$order,
    "unsigned":$swizzle,
    "bool":$persistent,
    "unsigned":$cluster,
    "unsigned":$tilesInFlight,
    "bool":$streamK,
    "unsigned":$threads,
    "unsigned":$minBlocks,
    "bool":$pdl);
  let hasCustomAssemblyFormat = 1;
  let genVerifyDecl = 1;
}

def Egg_ContractAttr : Egg_Attr<"Contract", "contract"> {
  let summary = "the instruction of a contraction";
  let description = [{
    The instruction, its shape (not for `fma`) and the warps that share the tile.
    It implies the layouts of the accumulator and of the operands.

    - `fma`: scalar multiply-adds.
    - `mma_sync mMnNkK`: m16n8k4, m16n8k8, m16n8k16 or m16n8k32.
    - `wgmma m64nNkK`: N a multiple of 8 up to 256, K 8, 16 or 32; warps a
      multiple of 4.

    Example: `#egg.contract<wgmma m64n256k16, warps = 8>`
  }];
  let parameters = (ins
    "Instruction":$instruction,
    "unsigned":$m,
    "unsigned":$n,
    "unsigned":$k,
    "unsigned":$warps);
  let hasCustomAssemblyFormat = 1;
  let genVerifyDecl = 1;
}

def Egg_ChainAttr : Egg_Attr<"Chain", "chain"> {
  let summary = "a loop that is an ordered dimension of the grid";
  let description = [{
    On an `scf.for` whose carried values are combined associatively: blocks take
    its iterations by ticket and get the carry by look-back.
  }];
}

def Egg_RolesAttr : Egg_Attr<"Roles", "roles"> {
  let summary = "which warps copy and which compute";
  let description = [{
    `producer` warps only copy; `consumers` is the number of warp groups that
    compute. Registers a thread of each are optional (multiples of 8 from 24 to
    240).

    Example: `#egg.roles<producer = 4, consumers = 2, producer_registers = 40,
    consumer_registers = 232>`
  }];
  let parameters = (ins
    "unsigned":$producer,
    "unsigned":$consumers,
    "unsigned":$producerRegisters,
    "unsigned":$consumerRegisters);
  let hasCustomAssemblyFormat = 1;
  let genVerifyDecl = 1;
}

#endif // EGG_DIALECT_EGG_EGGATTRS
