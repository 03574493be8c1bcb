// The plugin loads into a stock mlir-opt and brings egg's dialect with it.
// RUN: mlir-opt --load-dialect-plugin=%plugin --load-pass-plugin=%plugin --show-dialects | FileCheck %s
// CHECK: {{,egg,}}
