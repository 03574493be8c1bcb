//===- ToolPlaces.h - programs of the CUDA toolkit by name ------*- C++ -*-===//
//
// Part of egg, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef EGG_LIB_SEARCH_TOOLPLACES_H
#define EGG_LIB_SEARCH_TOOLPLACES_H

#include "egg/Search/CudaTools.h"

namespace egg {

/// The path of the program `name` in `places`; empty when it is in none.
std::string findTool(const std::string &name, const ToolPlaces &places);

/// "searched: ...", for the message that something is missing.
std::string describePlaces(const ToolPlaces &places);

} // namespace egg

#endif // EGG_LIB_SEARCH_TOOLPLACES_H
