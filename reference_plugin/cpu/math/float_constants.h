// SPDX-License-Identifier: Apache-2.0
#ifndef PLINTH_REFERENCE_PLUGIN_CPU_MATH_FLOAT_CONSTANTS_H_
#define PLINTH_REFERENCE_PLUGIN_CPU_MATH_FLOAT_CONSTANTS_H_

#include <cstdint>

namespace plinth::cpu::math {

template <class T>
struct FloatConstants;

template <>
struct FloatConstants<float> {
  using Bits = int32_t;
  static constexpr int kMantissaBits = 23;
  static constexpr float kExponentBias = 127;
  static constexpr float kMinNormal = 0x1p-126f;
  static constexpr float kSubnormalScale = 0x1p25f;
  static constexpr float kSubnormalShift = 25;
  static constexpr Bits kOneBits = 0x3F800000;
  static constexpr Bits kSqrtHalfBits = 0x3F3504F3;
  static constexpr float kRoundingMagic = 0x1.8p23f;
  static constexpr float kSplitter = 4097;  // 2^12 + 1
  static constexpr float kLog2E = 0x1.715476p+0f;
  // ln 2 in two parts; n * kLn2Hi is exact for |n| < 2^9.
  static constexpr float kLn2Hi = 0x1.62ep-1f;
  static constexpr float kLn2Lo = 0x1.0bfbe8p-15f;
  static constexpr float kLn2 = 0x1.62e43p-1f;  // exact to 2^-28, for small n
  static constexpr float kExpNormal = 87;       // exp(-kExpNormal) is normal
  static constexpr float kExpVanishes = -104;   // exp(x) rounds to 0 below
  static constexpr float kExpLimit = 105;       // exp(-kExpLimit) rounds to 0, exp(..) overflows
  static constexpr float kExpOverflow = 0x1.62e43p+6f;  // expm1 of anything above is infinite
  static constexpr float kMinusOneLimit = 20;           // expm1(-x) rounds to -1
  static constexpr float kErfLimit = 0x1.fcp+1f;        // erf is 1 above
  static constexpr float kErfFirst = 0x1.2p-2f;  // above half a kErfStep, below erf(kErfStep)
  static constexpr Bits kShortMask = -4096;      // keeps 12 bits of the significand
  static constexpr float kQuarterPi = 0x1.921fb6p-1f;
  static constexpr float kQuarterPiLow = -0x1.777a5cp-26f;
  // atan2 scales operands of which the larger is above kHuge, or the smaller below kTiny and the
  // larger below kModerate.
  static constexpr float kHuge = 0x1p100f;
  static constexpr float kScaleDown = 0x1p-25f;
  static constexpr float kTiny = 0x1p-90f;
  static constexpr float kModerate = 0x1p30f;
  static constexpr float kScaleUp = 0x1p60f;
  static constexpr float kTwoOverPi = 0x1.45f306p-1f;
  // pi / 2 in three parts.
  static constexpr float kHalfPi[] = {0x1.921fb6p+0f, -0x1.777a5cp-25f, -0x1.ee59dap-50f};
  static constexpr float kAngleLimit = 0x1p16f;  // larger angles are reduced in another way
};

template <>
struct FloatConstants<double> {
  using Bits = int64_t;
  static constexpr int kMantissaBits = 52;
  static constexpr double kExponentBias = 1023;
  static constexpr double kMinNormal = 0x1p-1022;
  static constexpr double kSubnormalScale = 0x1p54;
  static constexpr double kSubnormalShift = 54;
  static constexpr Bits kOneBits = 0x3FF0000000000000;
  static constexpr Bits kSqrtHalfBits = 0x3FE6A09E667F3BCD;
  static constexpr double kRoundingMagic = 0x1.8p52;
  static constexpr double kSplitter = 134217729;  // 2^27 + 1
  static constexpr double kLog2E = 0x1.71547652b82fep+0;
  // n * kLn2Hi is exact for |n| < 2^20.
  static constexpr double kLn2Hi = 0x1.62e42feep-1;
  static constexpr double kLn2Lo = 0x1.a39ef35793c76p-33;
  static constexpr double kExpNormal = 708;
  static constexpr double kExpVanishes = -746;
  static constexpr double kExpLimit = 750;
  static constexpr double kExpOverflow = 0x1.62e42fefa39efp+9;
  static constexpr double kMinusOneLimit = 40;
  static constexpr double kErfLimit = 6;
  static constexpr double kErfSmall = 1;
  static constexpr Bits kShortMask = -(int64_t{1} << 28);
  static constexpr double kQuarterPi = 0x1.921fb54442d18p-1;
  static constexpr double kQuarterPiLow = 0x1.1a62633145c07p-55;
  static constexpr double kHuge = 0x1p900;
  static constexpr double kScaleDown = 0x1p-100;
  static constexpr double kTiny = 0x1p-900;
  static constexpr double kModerate = 0x1p100;
  static constexpr double kScaleUp = 0x1p400;
  static constexpr double kTwoOverPi = 0x1.45f306dc9c883p-1;
  static constexpr double kAngleLimit = 0x1p20;
};

}  // namespace plinth::cpu::math

#endif  // PLINTH_REFERENCE_PLUGIN_CPU_MATH_FLOAT_CONSTANTS_H_
