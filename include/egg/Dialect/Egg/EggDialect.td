//===- EggDialect.td - the egg dialect ---------------------*- tablegen -*-===//
//
// Part of egg, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef EGG_DIALECT_EGG_EGGDIALECT
#define EGG_DIALECT_EGG_EGGDIALECT

include "mlir/IR/OpBase.td"

def Egg_Dialect : Dialect {
  let name = "egg";
  let cppNamespace = "::egg::ir";
  let summary = "The few ops that block programs need beside upstream's";
  let description = [{
    A block program is a sequence of grid stages. A grid stage is an `scf.forall`
    with a block mapping; its body is a sequential program over block-sized
    tensors, made of linalg, tensor, scf and arith ops and the ops of this
    dialect. It says nothing about threads and means what sequential tensor code
    means, so that it runs on a CPU as it stands. Where values live, and how
    iterations meet hardware, is said by attributes that change no result.

    Attributes of this dialect on ops of other dialects:

    | attribute | on | type |
    | --- | --- | --- |
    | `egg.grid` | `scf.forall` | `#egg.grid<...>` |
    | `egg.join` | `scf.forall`, not the first | `#egg.join<...>` |
    | `egg.contract` | a linalg contraction | `#egg.contract<...>` |
    | `egg.chain` | `scf.for` | `#egg.chain` |
    | `egg.roles` | `scf.for`, `scf.forall` | `#egg.roles<...>` |
    | `egg.neutral` | `linalg.reduce` | one typed attribute an init |
    | `egg.inout` | an argument of a function | the number of the result that it is tied to, as an integer |
    | `egg.align` | an argument of a function | bytes, a power of two, as an integer |
    | `egg.noalias` | an argument of a function | unit |
    | `egg.range` | an argument of a function | `array<i64: least, most>` |
  }];
  let useDefaultAttributePrinterParser = 1;
  let hasOperationAttrVerify = 1;
  let hasRegionArgAttrVerify = 1;
  let extraClassDeclaration = [{
    /// Names of the attributes above.
    static constexpr ::llvm::StringLiteral kGridAttr{"egg.grid"};
    static constexpr ::llvm::StringLiteral kJoinAttr{"egg.join"};
    static constexpr ::llvm::StringLiteral kContractAttr{"egg.contract"};
    static constexpr ::llvm::StringLiteral kChainAttr{"egg.chain"};
    static constexpr ::llvm::StringLiteral kRolesAttr{"egg.roles"};
    static constexpr ::llvm::StringLiteral kNeutralAttr{"egg.neutral"};
    static constexpr ::llvm::StringLiteral kInoutAttr{"egg.inout"};
    static constexpr ::llvm::StringLiteral kAlignAttr{"egg.align"};
    static constexpr ::llvm::StringLiteral kNoaliasAttr{"egg.noalias"};
    static constexpr ::llvm::StringLiteral kRangeAttr{"egg.range"};

    void registerAttributes();
  }];
}

#endif // EGG_DIALECT_EGG_EGGDIALECT
