// RUN: egg-opt %s -egg-promote-to-f64 -verify-diagnostics

func.func @main(%x: f32) -> i32 {
  // expected-error @below {{a bitcast from 'f32' to 'i32' has no meaning in f64, so this payload has no golden}}
  %0 = arith.bitcast %x : f32 to i32
  return %0 : i32
}
