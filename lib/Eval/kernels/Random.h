//===- Random.h - seeded inputs, equal on host and device -------*- C++ -*-===//
//
// Part of egg, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//
// Philox4x32-10 (Salmon, Moraes, Dror, Shaw: "Parallel random numbers: as easy
// as 1, 2, 3", SC 2011) makes the bits of an element from its index; the normal
// distribution is the inverse of its cumulative function by Wichura's AS 241
// (PPND16, Applied Statistics 37, 1988), in f64 from + - * / and sqrt.
//
//===----------------------------------------------------------------------===//

#ifndef EGG_EVAL_KERNELS_RANDOM_H
#define EGG_EVAL_KERNELS_RANDOM_H

#include "Numbers.h"

namespace egg::eval::kernels {

#ifdef __NVPTX__
inline double squareRoot(double x) { return __nvvm_sqrt_rn_d(x); }
#else
inline double squareRoot(double x) { return __builtin_sqrt(x); }
#endif

struct Block {
  U32 word[4];
};

/// Ten rounds of Philox4x32 on a counter of 128 bits under a key of 64.
inline Block philox(U64 low, U64 high, U64 key) {
  U32 c0 = U32(low), c1 = U32(low >> 32), c2 = U32(high), c3 = U32(high >> 32);
  U32 k0 = U32(key), k1 = U32(key >> 32);
  for (int round = 0; round < 10; ++round) {
    U64 p0 = U64(0xD2511F53u) * c0, p1 = U64(0xCD9E8D57u) * c2;
    U32 n0 = U32(p1 >> 32) ^ c1 ^ k0, n2 = U32(p0 >> 32) ^ c3 ^ k1;
    c1 = U32(p1);
    c3 = U32(p0);
    c0 = n0;
    c2 = n2;
    k0 += 0x9E3779B9u;
    k1 += 0xBB67AE85u;
  }
  return {{c0, c1, c2, c3}};
}

/// Natural logarithm of a normal positive double, to about 1e-16: x is m 2^e
/// with m near one, and log m = 2 atanh((m - 1) / (m + 1)) as a series.
inline double naturalLog(double x) {
  U64 bits = bitsOf(x);
  int e = int(bits >> 52) - 1023;
  double m = doubleOf((bits & 0xfffffffffffffull) | 0x3ff0000000000000ull);
  if (m > 1.4142135623730951) {
    m = m * 0.5;
    e = e + 1;
  }
  double f = (m - 1.0) / (m + 1.0);
  double f2 = f * f;
  double sum = 0.0;
  for (int k = 21; k >= 1; k -= 2)
    sum = sum * f2 + 1.0 / double(k);
  return 2.0 * f * sum + double(e) * 0.69314718055994530942;
}

/// The standard normal value below which a share `p` of the mass lies, for p
/// in (0, 1).
inline double inverseNormal(double p) {
  double q = p - 0.5;
  if (absolute(q) <= 0.425) {
    double r = 0.180625 - q * q;
    double num =
        ((((((2.5090809287301226727e+3 * r + 3.3430575583588128105e+4) * r +
             6.7265770927008700853e+4) *
                r +
            4.5921953931549871457e+4) *
               r +
           1.3731693765509461125e+4) *
              r +
          1.9715909503065514427e+3) *
             r +
         1.3314166789178437745e+2) *
            r +
        3.3871328727963666080e+0;
    double den =
        ((((((5.2264952788528545610e+3 * r + 2.8729085735721942674e+4) * r +
             3.9307895800092710610e+4) *
                r +
            2.1213794301586595867e+4) *
               r +
           5.3941960214247511077e+3) *
              r +
          6.8718700749205790830e+2) *
             r +
         4.2313330701600911252e+1) *
            r +
        1.0;
    return q * num / den;
  }
  double tail = q < 0 ? p : 1.0 - p;
  double r = squareRoot(-naturalLog(tail));
  double num, den;
  if (r <= 5.0) {
    r = r - 1.6;
    num = ((((((7.74545014278341407640e-4 * r + 2.27238449892691845833e-2) * r +
               2.41780725177450611770e-1) *
                  r +
              1.27045825245236838258e+0) *
                 r +
             3.64784832476320460504e+0) *
                r +
            5.76949722146069140550e+0) *
               r +
           4.63033784615654529590e+0) *
              r +
          1.42343711074968357734e+0;
    den = ((((((1.05075007164441684324e-9 * r + 5.47593808499534494600e-4) * r +
               1.51986665636164571966e-2) *
                  r +
              1.48103976427480074590e-1) *
                 r +
             6.89767334985100004550e-1) *
                r +
            1.67638483018380384940e+0) *
               r +
           2.05319162663775882187e+0) *
              r +
          1.0;
  } else {
    r = r - 5.0;
    num = ((((((2.01033439929228813265e-7 * r + 2.71155556874348757815e-5) * r +
               1.24266094738807843860e-3) *
                  r +
              2.65321895265761230930e-2) *
                 r +
             2.96560571828504891230e-1) *
                r +
            1.78482653991729133580e+0) *
               r +
           5.46378491116411436990e+0) *
              r +
          6.65790464350110377720e+0;
    den =
        ((((((2.04426310338993978564e-15 * r + 1.42151175831644588870e-7) * r +
             1.84631831751005468180e-5) *
                r +
            7.86869131145613259100e-4) *
               r +
           1.48753612908506148525e-2) *
              r +
          1.36929880922735805310e-1) *
             r +
         5.99832206555887937690e-1) *
            r +
        1.0;
  }
  double x = num / den;
  return q < 0 ? -x : x;
}

/// 53 random bits as a double strictly between 0 and 1.
inline double openUniform(U32 a, U32 b) {
  U64 bits = U64(a) << 20 | b >> 12; // 52 bits
  return (double(I64(bits)) + 0.5) * powerOfTwo(-52);
}

/// One float element, before rounding to `type`.
inline double drawFloat(const Block &block, U32 type, U32 distribution) {
  const U32 *w = block.word;
  double normal = inverseNormal(openUniform(w[0], w[1]));
  switch (distribution) {
  case Uniform:
    return openUniform(w[0], w[1]);
  case Wide:
    // Every exponent from -12 to 12 as often.
    return normal * powerOfTwo(int(U64(w[2]) * 25 >> 32) - 12);
  case Zeros:
    return (w[2] & 7) == 0 ? 0.0 : (w[2] & 7) == 1 ? -0.0 : normal;
  case Subnormal: {
    if (w[2] & 1)
      return normal * powerOfTwo(minExponent(type) + 4);
    int bits = mantissaBits(type);
    U64 fraction = (U64(w[0]) << 20 | w[1] >> 12) >> (52 - bits);
    double value = type == F64 ? doubleOf(fraction)
                               : double(I64(fraction)) *
                                     powerOfTwo(minExponent(type) - bits);
    return w[2] & 2 ? -value : value;
  }
  case Large:
    return normal * powerOfTwo(maxExponent(type) / 2 - 3);
  case Special:
    switch (w[2] & 4095) {
    case 0:
      return doubleOf(0x7ff8000000000000ull);
    case 1:
      return doubleOf(0x7ff0000000000000ull);
    case 2:
      return doubleOf(0xfff0000000000000ull);
    default:
      return normal;
    }
  default:
    return normal;
  }
}

/// One integer element: small values for the ordinary distributions, every
/// value of the type for wide and large ones.
inline I64 drawInteger(const Block &block, U32 distribution) {
  const U32 *w = block.word;
  switch (distribution) {
  case Wide:
  case Large:
    return I64(U64(w[0]) << 32 | w[1]);
  case Uniform:
    return I64(w[0] & 15) + 1;
  case Zeros:
    return w[2] & 1 ? 0 : I64(w[0] % 33) - 16;
  default:
    return I64(w[0] % 33) - 16;
  }
}

/// The bits of element `i` of an argument.
inline U64 drawElement(const FillParams &p, U64 i) {
  U64 place = p.distribution == Equal ? 0 : i;
  Block block = philox(place, p.argument, p.seed);
  if (isFloat(p.type)) {
    double x = drawFloat(block, p.type, p.distribution);
    return narrow(p.absolute ? absolute(x) : x, p.type);
  }
  if (p.ranged) {
    U64 span = U64(p.high) - U64(p.low) + 1; // 0: all of 64 bits
    U64 r = U64(block.word[0]) << 32 | block.word[1];
    return U64(p.low) + (span ? r % span : r);
  }
  if (p.type == I1T)
    return block.word[0] & 1;
  return U64(drawInteger(block, p.distribution));
}

} // namespace egg::eval::kernels

#endif // EGG_EVAL_KERNELS_RANDOM_H
