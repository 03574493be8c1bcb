//===- EmbeddedDevices.h - The built-in descriptions ------------*- C++ -*-===//
//
// Part of egg, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Private to the Device library; the definition is made from devices/*.json
// when egg is configured.
//
//===----------------------------------------------------------------------===//

#ifndef EGG_LIB_DEVICE_EMBEDDEDDEVICES_H
#define EGG_LIB_DEVICE_EMBEDDEDDEVICES_H

#include <vector>

namespace egg {

/// The texts of the files, in the order of their names.
std::vector<const char *> embeddedDevices();

} // namespace egg

#endif // EGG_LIB_DEVICE_EMBEDDEDDEVICES_H
