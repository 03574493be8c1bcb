//===- EggOps.td - ops of the egg dialect ------------------*- tablegen -*-===//
//
// Part of egg, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef EGG_DIALECT_EGG_EGGOPS
#define EGG_DIALECT_EGG_EGGOPS

include "egg/Dialect/Egg/EggAttrs.td"

include "mlir/Interfaces/ParallelCombiningOpInterface.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

class Egg_Op<string mnemonic, list<Trait> traits = []>
    : Op<Egg_Dialect, mnemonic, traits> {
  let hasVerifier = 1;
}

def Egg_PlaceOp : Egg_Op<"place", [
    NoMemoryEffect, DeclareOpInterfaceMethods<ConditionallySpeculatable>]> {
  let summary = "says where a value lives and how it gets there";
  let description = [{
    The identity on values; the element type and the shape stay, an encoding may
    change. It has no memory effect, so equal places may be merged and unused
    ones dropped, but it may not be moved out of a loop: where it stands says
    when the copy happens.

    - `layout`, for registers: which thread holds what. Left to propagation if
      absent.
    - `swizzle` (0, 32, 64 or 128 bytes) and `pitch` (elements from one row to
      the next, at least the last extent), for shared memory.
    - `copy`: how it gets there; `cp_async`, `bulk` and `tma` only into shared
      memory.
    - `depth = S`, in a loop: the source may be read up to S - 1 steps ahead.
    - `hint`: what to tell the caches about the source.

    Example:

    ```mlir
    %as = egg.place %a to shared swizzle = 128 copy = tma depth = 4
        : tensor<128x64xf16>
    %r = egg.place %s to registers
        layout = #egg.layout<[64], register = [[1]], lane = [[2], [4], [8], [16], [32]]>
        : tensor<64xf32>
    ```
  }];
  let arguments = (ins
    AnyRankedTensor:$source,
    Egg_SpaceAttr:$space,
    OptionalAttr<Egg_LayoutAttr>:$layout,
    OptionalAttr<I64Attr>:$swizzle,
    OptionalAttr<I64Attr>:$pitch,
    DefaultValuedAttr<Egg_CopyAttr, "::egg::ir::Copy::automatic">:$copy,
    DefaultValuedAttr<I64Attr, "1">:$depth,
    DefaultValuedAttr<Egg_HintAttr, "::egg::ir::Hint::none">:$hint);
  let results = (outs AnyRankedTensor:$result);
  let assemblyFormat = [{
    $source `to` $space (`layout` `=` $layout^)? (`swizzle` `=` $swizzle^)?
    (`pitch` `=` $pitch^)? (`copy` `=` $copy^)? (`depth` `=` $depth^)?
    (`hint` `=` $hint^)? attr-dict `:` custom<PlaceTypes>(type($source), type($result))
  }];
  let hasFolder = 0;
}

def Egg_ReadOp : Egg_Op<"read", [
    NoMemoryEffect, AttrSizedOperandSegments,
    DeclareOpInterfaceMethods<ConditionallySpeculatable>]> {
  let summary = "reads a tile of a tensor through an affine map";
  let description = [{
    `result[d] = source[map(d)]` for every element d of the result, and `fill`
    where `map(d)` lies outside the source.

    The map's dimensions are the result's; its symbols are the offsets, then one
    value an index tensor: the value of index tensor k at `by[k](d)`. Its results
    are coordinates of the source. So one op covers slices, masks, halos, the
    padding of a convolution, im2col, concatenation, flips and gathers.

    Without `fill`, all coordinates must lie inside the source: a promise, which
    the run on a CPU checks when asked to. Coordinates of index tensors must lie
    inside them in any case.

    `sizes` are the dynamic extents of the result, in order.

    Example: a tile with a halo, and a gather of rows:

    ```mlir
    %t = egg.read %x[%i, %j] fill (%zero : f32)
        map = affine_map<(d0, d1)[s0, s1] -> (s0 + d0 - 1, s1 + d1 - 1)>
        : tensor<128x128xf32> -> tensor<34x66xf32>
    %e = egg.read %table[] gather (%ids : tensor<4xi64>) by [affine_map<(d0, d1) -> (d0)>]
        map = affine_map<(d0, d1)[s0] -> (s0, d1)>
        : tensor<50257x1024xf32> -> tensor<4x1024xf32>
    ```
  }];
  let arguments = (ins
    AnyRankedTensor:$source,
    Variadic<Index>:$offsets,
    Variadic<AnyRankedTensor>:$indices,
    Variadic<Index>:$sizes,
    Optional<AnyType>:$fill,
    AffineMapAttr:$map,
    OptionalAttr<AffineMapArrayAttr>:$by);
  let results = (outs AnyRankedTensor:$result);
  let assemblyFormat = [{
    $source `[` $offsets `]`
    (`gather` `(` $indices^ `:` type($indices) `)` `by` $by)?
    (`sizes` `(` $sizes^ `)`)? (`fill` `(` $fill^ `:` type($fill) `)`)?
    `map` `=` $map attr-dict `:` type($source) `->` type($result)
  }];
  let extraClassDeclaration = [{
    ::mlir::RankedTensorType getSourceType() {
      return ::llvm::cast<::mlir::RankedTensorType>(getSource().getType());
    }
    ::mlir::RankedTensorType getResultType() {
      return ::llvm::cast<::mlir::RankedTensorType>(getResult().getType());
    }
    /// The map of index tensor `k` from dimensions of the result.
    ::mlir::AffineMap getIndexMap(unsigned k);
  }];
}

def Egg_WriteOp : Egg_Op<"write", [
    AttrSizedOperandSegments,
    DeclareOpInterfaceMethods<ParallelCombiningOpInterface,
      ["getUpdatedDestinations", "getIteratingParent"]>]> {
  let summary = "writes a tile into a result of the grid loop";
  let description = [{
    Stands in `scf.forall.in_parallel`; `dest` is one of the loop's shared_outs.
    For every element d of the tile, `dest[map(d)]` becomes the tile's element,
    or is combined with it; elements whose coordinates lie outside `dest` are
    dropped. The map's dimensions are the tile's; its symbols are the offsets,
    then one value an index tensor, as in `egg.read`.

    With `combine`, this is read-modify-write in the order of iterations. A write
    with index tensors must combine, because two elements may meet.

    Example:

    ```mlir
    scf.forall.in_parallel {
      egg.write %y into %o[%i, %j]
          map = affine_map<(d0, d1)[s0, s1] -> (s0 + d0, s1 + d1)>
          : tensor<128x128xf32> into tensor<4000x5000xf32>
      egg.write %h into %hist[] scatter (%ids : tensor<128xi32>) by [affine_map<(d0) -> (d0)>]
          combine = add map = affine_map<(d0)[s0] -> (s0)>
          : tensor<128xi32> into tensor<256xi32>
    }
    ```
  }];
  let arguments = (ins
    AnyRankedTensor:$tile,
    AnyRankedTensor:$dest,
    Variadic<Index>:$offsets,
    Variadic<AnyRankedTensor>:$indices,
    AffineMapAttr:$map,
    OptionalAttr<AffineMapArrayAttr>:$by,
    DefaultValuedAttr<Egg_CombineAttr, "::egg::ir::Combine::none">:$combine,
    DefaultValuedAttr<Egg_PathAttr, "::egg::ir::Path::direct">:$path,
    DefaultValuedAttr<Egg_HintAttr, "::egg::ir::Hint::none">:$hint);
  let assemblyFormat = [{
    $tile `into` $dest `[` $offsets `]`
    (`scatter` `(` $indices^ `:` type($indices) `)` `by` $by)?
    (`combine` `=` $combine^)? (`path` `=` $path^)? (`hint` `=` $hint^)?
    `map` `=` $map attr-dict `:` type($tile) `into` type($dest)
  }];
  let extraClassDeclaration = [{
    ::mlir::RankedTensorType getTileType() {
      return ::llvm::cast<::mlir::RankedTensorType>(getTile().getType());
    }
    ::mlir::RankedTensorType getDestType() {
      return ::llvm::cast<::mlir::RankedTensorType>(getDest().getType());
    }
    ::mlir::AffineMap getIndexMap(unsigned k);
  }];
}

def Egg_ScanOp : Egg_Op<"scan", [
    RecursiveMemoryEffects, SameVariadicResultSize, SingleBlock,
    DeclareOpInterfaceMethods<ConditionallySpeculatable>]> {
  let summary = "prefix combination along a dimension";
  let description = [{
    For n inputs of one shape: along `dim`, element i of the scanned results is
    the combination of elements 0 to i of the inputs (to i - 1 if `exclusive`;
    from the other end if `reverse`). `totals` is the combination of all: the
    shape without `dim`. The combiner takes n earlier values, then n later ones,
    and must be associative; it need not be commutative, and values meet in the
    order of the dimension (from its end if `reverse`).

    `neutral` has one typed attribute an input. It is needed if `exclusive` or if
    the dimension may be empty, unless the combiner is one op whose neutral
    element is known.

    Example: sums of a row:

    ```mlir
    %s, %t = egg.scan %x dim = 0 {
      ^bb0(%a: f32, %b: f32):
        %c = arith.addf %a, %b : f32
        egg.yield %c : f32
    } : tensor<4096xf32> -> tensor<4096xf32>, tensor<f32>
    ```
  }];
  let arguments = (ins
    Variadic<AnyRankedTensor>:$inputs,
    I64Attr:$dim,
    UnitAttr:$exclusive,
    UnitAttr:$reverse,
    OptionalAttr<ArrayAttr>:$neutral);
  let results = (outs
    Variadic<AnyRankedTensor>:$scanned,
    Variadic<AnyRankedTensor>:$totals);
  let regions = (region SizedRegion<1>:$combiner);
  let assemblyFormat = [{
    $inputs `dim` `=` $dim (`exclusive` $exclusive^)? (`reverse` $reverse^)?
    (`neutral` `=` $neutral^)? $combiner attr-dict `:` type($inputs) `->` type(results)
  }];
  let hasRegionVerifier = 1;
  let extraClassDeclaration = [{
    /// The neutral values, given or derived from the combiner; empty if neither.
    ::llvm::SmallVector<::mlir::TypedAttr> getNeutralValues();
  }];
}

def Egg_YieldOp : Egg_Op<"yield", [
    Pure, Terminator, HasParent<"ScanOp">]> {
  let summary = "the combined values of a scan";
  let description = [{
    Ends the combiner of an `egg.scan`, with one value an input.
  }];
  let arguments = (ins Variadic<AnyType>:$values);
  let assemblyFormat = "($values^ `:` type($values))? attr-dict";
  let hasVerifier = 0;
}

#endif // EGG_DIALECT_EGG_EGGOPS
