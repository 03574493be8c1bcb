// RUN: egg-opt %s -split-input-file -egg-verify-payload -verify-diagnostics

// expected-error @below {{argument 0 of @main has type 'tensor<4x?xf32>': dimension 1 is dynamic; egg compiles static shapes only, so give it a number}}
func.func @main(%x: tensor<4x?xf32>) { return }

// -----

// expected-error @below {{argument 0 of @main has type 'tensor<4xf80>': element type 'f80' is not supported}}
func.func @main(%x: tensor<4xf80>) -> tensor<4xf80> { return %x : tensor<4xf80> }

// -----

// expected-error @below {{argument 0 of @main has type 'index'}}
func.func @main(%x: index) { return }

// -----

// expected-error @below {{@outside has no body; a payload is complete}}
func.func private @outside()
func.func @main() { return }

// -----

// expected-error @below {{there is no entry function}}
module {
  func.func @a() { return }
  func.func @b() { return }
}

// -----

func.func @main() {
  // expected-error @below {{@main calls itself, directly or through others}}
  func.call @main() : () -> ()
  return
}

// -----

// expected-error @below {{it has more than 1099511627776 elements}}
func.func @main(%x: tensor<1099511627777xi8>) { return }

// -----

func.func @main() {
  // expected-error @below {{'gpu.barrier' cannot be part of a payload}}
  gpu.barrier
  return
}

// -----

func.func @main() {
  // expected-error @below {{result 0 of 'arith.constant' has type 'vector<4xf32>': a payload holds tensors and scalars only}}
  %v = arith.constant dense<0.0> : vector<4xf32>
  return
}
