// SPDX-License-Identifier: Apache-2.0
#ifndef PLINTH_REFERENCE_PLUGIN_CPU_MATH_POLYNOMIALS_H_
#define PLINTH_REFERENCE_PLUGIN_CPU_MATH_POLYNOMIALS_H_

// Made by generate_polynomials.py. Coefficients stand lowest power first.
// clang-format off
namespace plinth::cpu::math {

// (exp(r) - 1 - r) / r^2
template <class T>
inline constexpr T kExpTail[] = {};
// On [-0.347613, 0.347613]: error 6.6e-8.
template <>
inline constexpr float kExpTail<float>[] = {
    0x1.0000000000000p-1f, 0x1.5554dc0000000p-3f, 0x1.5555180000000p-5f, 0x1.120ce40000000p-7f, 0x1.6d127e0000000p-10f};

// On [-0.347613, 0.347613]: error 1.4e-18.
template <>
inline constexpr double kExpTail<double>[] = {
    0x1.0000000000000p-1, 0x1.5555555555557p-3, 0x1.5555555555556p-5, 0x1.111111111007ap-7, 0x1.6c16c16c1629dp-10, 0x1.a01a01ac1cfa8p-13, 0x1.a01a01a6f6cefp-16, 0x1.71de018a0d245p-19, 0x1.27e4db04b53c8p-22, 0x1.af4f451d9ec2bp-26, 0x1.1f73c9e1e5555p-29};

// (2 atanh(s) - 2 s) / s^3, z = s^2
template <class T>
inline constexpr T kLogTail[] = {};
// On [0, 0.0297316]: error 1.2e-9.
template <>
inline constexpr float kLogTail<float>[] = {
    0x1.5555560000000p-1f, 0x1.9999ee0000000p-2f, 0x1.245b280000000p-2f, 0x1.de0b020000000p-3f};

// On [0, 0.0297316]: error 3.3e-16.
template <>
inline constexpr double kLogTail<double>[] = {
    0x1.5555555555558p-1, 0x1.9999999994e76p-2, 0x1.2492492e6dfddp-2, 0x1.c71c6247410e3p-3, 0x1.7462e17b4cdd0p-3, 0x1.39f8963ccbdc2p-3, 0x1.2b9f7fb3de73fp-3};

// (sin(x) - x) / x^3, z = x^2
template <class T>
inline constexpr T kSinTail[] = {};
// On [0, 0.623019]: error 2.1e-8.
template <>
inline constexpr float kSinTail<float>[] = {
    -0x1.5555520000000p-3f, 0x1.110c100000000p-7f, -0x1.9abc2c0000000p-13f};

// On [0, 0.623019]: error 1.2e-20.
template <>
inline constexpr double kSinTail<double>[] = {
    -0x1.5555555555555p-3, 0x1.1111111111110p-7, -0x1.a01a01a0198dep-13, 0x1.71de3a5455b9ap-19, -0x1.ae64540000f84p-26, 0x1.6121703ee57b1p-33, -0x1.ab0f25d21fd92p-41};

// (cos(x) - 1 + z / 2) / z^2, z = x^2
template <class T>
inline constexpr T kCosTail[] = {};
// On [0, 0.623019]: error 2.1e-9.
template <>
inline constexpr float kCosTail<float>[] = {
    0x1.5555540000000p-5f, -0x1.6c12be0000000p-10f, 0x1.9bcdc60000000p-16f};

// On [0, 0.623019]: error 6.9e-22.
template <>
inline constexpr double kCosTail<double>[] = {
    0x1.5555555555555p-5, -0x1.6c16c16c16c16p-10, 0x1.a01a01a019ce2p-16, -0x1.27e4fb770e01dp-22, 0x1.1eed8de33ebe0p-29, -0x1.9394ace29bd7bp-37, 0x1.ab70a23137c25p-45};

// (atan(t) - t) / t^3, z = t^2
template <class T>
inline constexpr T kAtanTail[] = {};
// On [0, 0.173289]: error 5.7e-10.
template <>
inline constexpr float kAtanTail<float>[] = {
    -0x1.5555560000000p-2f, 0x1.99997a0000000p-3f, -0x1.2489ca0000000p-3f, 0x1.c570a20000000p-4f, -0x1.60f25e0000000p-4f, 0x1.9be67e0000000p-5f};

// On [0, 0.173289]: error 4.8e-20.
template <>
inline constexpr double kAtanTail<double>[] = {
    -0x1.5555555555555p-2, 0x1.9999999999996p-3, -0x1.2492492492044p-3, 0x1.c71c71c6d7d32p-4, -0x1.745d17340508fp-4, 0x1.3b13ae79dd4b6p-4, -0x1.1110cac366114p-4, 0x1.e1d871aade730p-5, -0x1.aeb899bbf46b9p-5, 0x1.82802568705b8p-5, -0x1.4fc8b12b0988ap-5, 0x1.f3da80d7128fep-6, -0x1.c3e13a22cdd52p-7};

// cbrt(m)
template <class T>
inline constexpr T kCbrtSeed[] = {};
// On [1, 2]: error 1.3e-5.
template <>
inline constexpr float kCbrtSeed<float>[] = {
    0x1.04bc2c0000000p-1f, 0x1.6c69800000000p-1f, -0x1.2d024e0000000p-2f, 0x1.544aae0000000p-4f, -0x1.4b07800000000p-7f};

// On [1, 2]: error 1.3e-5.
template <>
inline constexpr double kCbrtSeed<double>[] = {
    0x1.04bc2bde493b9p-1, 0x1.6c697f83452edp-1, -0x1.2d024eeecb9cbp-2, 0x1.544aaec5e4624p-4, -0x1.4b077fcd0882bp-7};

// (exp(2 h) - 1 - 2 h) / (2 h^2)
template <class T>
inline constexpr T kHalfExpTail[] = {};
// On [-0.173807, 0.173807]: error 1.3e-7.
template <>
inline constexpr float kHalfExpTail<float>[] = {
    0x1.0000000000000p+0f, 0x1.5554dc0000000p-1f, 0x1.5555180000000p-2f, 0x1.120ce40000000p-3f, 0x1.6d127e0000000p-5f};

// (2 atanh(s) - 2 s - 2/3 s^3) / s^5, z = s^2
template <class T>
inline constexpr T kLogTail2[] = {};
// On [0, 0.0297316]: error 2.0e-18.
template <>
inline constexpr double kLogTail2<double>[] = {
    0x1.999999999999ap-2, 0x1.249249249252cp-2, 0x1.c71c71c6e78a1p-3, 0x1.745d177d4ef6cp-3, 0x1.3b1394b0a7753p-3, 0x1.11190514d902bp-3, 0x1.df700c050c69dp-4, 0x1.e0b2fadc317e7p-4};

// erf(c + t) = erf(c) + t P(t), |t| up to about kErfStep / 2; of c = 0, t + t P(t).
inline constexpr float kErfStep = 0x1.1000000000000p-1f;
inline constexpr float kErfCentres[8] = {0x0.0p+0f, 0x1.0f82a80000000p-1f, 0x1.0f33880000000p+0f, 0x1.98dc200000000p+0f, 0x1.0ffaa80000000p+1f, 0x1.5493c80000000p+1f, 0x1.996df00000000p+1f, 0x1.df38d00000000p+1f};
inline constexpr float kErfAtCentres[8] = {0x0.0p+0f, 0x1.17eaf00000000p-1f, 0x1.bb59580000000p-1f, 0x1.f3c2ba0000000p-1f, 0x1.fea3de0000000p-1f, 0x1.ffe9fc0000000p-1f, 0x1.ffff340000000p-1f, 0x1.fffffc0000000p-1f};
// P by the power of t. Error 4.8e-7.
inline constexpr float kErfSlopes[6][8] = {
    {0x1.06eba80000000p-3f, 0x1.b41c4e0000000p-1f, 0x1.7824980000000p-2f, 0x1.689b700000000p-4f, 0x1.94a9760000000p-7f, 0x1.f22e2e0000000p-11f, 0x1.55010a0000000p-15f, 0x1.ef92940000000p-21f},
    {-0x1.362cea0000000p-20f, -0x1.ce88640000000p-2f, -0x1.8e7a4a0000000p-2f, -0x1.1ff7040000000p-3f, -0x1.adec0e0000000p-6f, -0x1.4b610c0000000p-9f, -0x1.10afa60000000p-13f, -0x1.d041500000000p-19f},
    {-0x1.8119ee0000000p-2f, -0x1.fd04e40000000p-4f, 0x1.37fad60000000p-3f, 0x1.ed1de60000000p-4f, 0x1.0ed9e80000000p-5f, 0x1.10f4d00000000p-8f, 0x1.1387d20000000p-12f, 0x1.14f2860000000p-17f},
    {-0x1.af56b40000000p-11f, 0x1.77bb080000000p-3f, 0x1.91663a0000000p-5f, -0x1.937c360000000p-5f, -0x1.b028700000000p-6f, -0x1.340fec0000000p-8f, -0x1.8b15d80000000p-12f, -0x1.d85e5a0000000p-17f},
    {0x1.e6e9c20000000p-4f, -0x1.79a7660000000p-11f, -0x1.09f5360000000p-4f, -0x1.6010640000000p-8f, 0x1.91d7540000000p-7f, 0x1.f6ecfe0000000p-9f, 0x1.c3827a0000000p-12f, 0x1.5e51400000000p-16f},
    {-0x1.5162ea0000000p-6f, -0x1.84c16c0000000p-5f, 0x1.4690720000000p-7f, 0x1.ff4a4c0000000p-7f, -0x1.b0f7f40000000p-10f, -0x1.127cf80000000p-9f, -0x1.7631c00000000p-12f, -0x1.a5ebae0000000p-16f}};

// erf(x) / x - 1, z = x^2
template <class T>
inline constexpr T kErfRatio[] = {};
// On [0, 1]: error 1.3e-19.
template <>
inline constexpr double kErfRatio<double>[] = {
    0x1.06eba8214db69p-3, -0x1.812746b0379e6p-2, 0x1.ce2f21a042b30p-4, -0x1.b82ce31284e00p-6, 0x1.565bcd0dbaa38p-8, -0x1.c02db3dac435fp-11, 0x1.f9a321d5b8e1ep-14, -0x1.f4d1e3183f7aep-17, 0x1.b9df224ca4b97p-20, -0x1.5f1ecb6f0764cp-23, 0x1.f7b4bf3b13964p-27, -0x1.389d4f2641625p-30, 0x1.05ffd737fb32ep-34};

// (x + c) exp(x^2) erfc(x), t = (x - c) / (x + c); c is kErfcCentre
template <class T>
inline constexpr T kErfcScaled[] = {};
inline constexpr double kErfcCentre = 2.5;
// On [-0.432857, 0.415882]: error 3.0e-18.
template <>
inline constexpr double kErfcScaled<double>[] = {
    0x1.0dd50785280a5p+0, -0x1.9bfb53c4039d7p-1, 0x1.d0cedcb8c9059p-2, -0x1.5eb8eba1dfa5ep-3, 0x1.d0acf691ed179p-6, 0x1.1305f56457dcbp-7, -0x1.3bcdce3468013p-8, -0x1.cc8b0d0f47022p-12, 0x1.7069f0dce93b1p-11, 0x1.e91bf0bd8642ap-15, -0x1.d84b4ec962f5bp-14, -0x1.476f24bff60c0p-16, 0x1.31fc58be97e8bp-16, 0x1.bed95d0d49c77p-18, -0x1.377ba0f60fa31p-19, -0x1.ba4456f945175p-20, 0x1.ced323cfc8cbcp-26};

}  // namespace plinth::cpu::math

#endif  // PLINTH_REFERENCE_PLUGIN_CPU_MATH_POLYNOMIALS_H_
