// SPDX-License-Identifier: Apache-2.0
// Intrinsics whose results the PTX manual states, where C++ has others or none.
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_fp4.h>
#include <cuda_fp8.h>
#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <limits>

namespace {

constexpr float kNaN = std::numeric_limits<float>::quiet_NaN();
constexpr float kInfinity = std::numeric_limits<float>::infinity();
constexpr int kIntMin = std::numeric_limits<int>::min();
constexpr int kIntMax = std::numeric_limits<int>::max();

TEST(EmulatedConversion, RoundsHalvesToEven) {
  EXPECT_EQ(__float2int_rn(2.5f), 2);
  EXPECT_EQ(__float2int_rn(-3.5f), -4);
  EXPECT_EQ(__float2int_rz(-3.5f), -3);
  EXPECT_EQ(__float2int_ru(-3.5f), -3);
  EXPECT_EQ(__float2int_rd(-3.5f), -4);
  EXPECT_EQ(__int2float_rn((1 << 24) + 1), 0x1p24f);
  EXPECT_EQ(__uint2float_rn(0xFFFFFFFFu), 0x1p32f);
}

TEST(EmulatedConversion, Saturates) {
  EXPECT_EQ(__float2int_rn(0x1p31f), kIntMax);
  EXPECT_EQ(__float2int_rn(-kInfinity), kIntMin);
  EXPECT_EQ(__float2int_rn(0x1.fffffep30f), kIntMax - 127);
  EXPECT_EQ(__float2uint_rn(-1.0f), 0u);
  EXPECT_EQ(__float2uint_rn(kInfinity), 0xFFFFFFFFu);
  EXPECT_EQ(__float2ll_rn(0x1p70f), std::numeric_limits<long long>::max());
  EXPECT_EQ(__double2int_rn(2147483647.5), kIntMax);
}

TEST(EmulatedConversion, HasAnIntegerForNaN) {
  EXPECT_EQ(__float2int_rn(kNaN), 0);
  EXPECT_EQ(__float2uint_rz(-kNaN), 0u);
  EXPECT_EQ(__float2ll_rn(kNaN), std::numeric_limits<long long>::min());
  EXPECT_EQ(__double2int_rn(double{kNaN}), kIntMin);
  EXPECT_EQ(__double2uint_rn(double{kNaN}), 0x80000000u);
}

TEST(EmulatedMinMax, PrefersNumbersToNaNsAndOrdersZeros) {
  for (const float zero : {0.0f, -0.0f}) {
    EXPECT_TRUE(std::signbit(fminf(zero, -zero)));
    EXPECT_FALSE(std::signbit(fmaxf(zero, -zero)));
    EXPECT_FALSE(std::signbit(max(zero, -zero)));
  }
  EXPECT_EQ(fmaxf(kNaN, -1.0f), -1.0f);
  EXPECT_EQ(min(2.0f, kNaN), 2.0f);
  EXPECT_TRUE(std::isnan(max(kNaN, kNaN)));
  EXPECT_EQ(max(-1, 1u), 0xFFFFFFFFu) << "mixed signs are compared without";
  EXPECT_EQ(min(-1, 1), -1);
}

TEST(EmulatedArithmetic, RoundsOnce) {
  // (1 + 2^-12)^2 - (1 + 2^-11) = 2^-24: the product alone rounds to 1 + 2^-11.
  const float a = 1 + 0x1p-12f, c = -(1 + 0x1p-11f);
  EXPECT_EQ(__fmaf_rn(a, a, c), 0x1p-24f);
  EXPECT_EQ(__fadd_rn(__fmul_rn(a, a), c), 0.0f);
  EXPECT_EQ(__saturatef(kNaN), 0.0f);
  EXPECT_EQ(__saturatef(1.5f), 1.0f);
}

TEST(EmulatedBits, MoveAsInPtx) {
  EXPECT_EQ(__byte_perm(0x33221100u, 0x77665544u, 0x1746u), 0x11774466u);
  EXPECT_ANY_THROW(__byte_perm(1, 2, 0x8000u));
  EXPECT_EQ(__funnelshift_l(0x80000001u, 0x0000000Fu, 4), 0xF8u);
  EXPECT_EQ(__funnelshift_r(0x80000001u, 0x0000000Fu, 36), 0xF8000000u);
  EXPECT_EQ(__funnelshift_lc(1u, 2u, 36), 1u);
  EXPECT_EQ(__funnelshift_rc(1u, 2u, 36), 2u);
  EXPECT_EQ(__brev(0x80000003u), 0xC0000001u);
  EXPECT_EQ(__clz(0), 32);
  EXPECT_EQ(__clz(-1), 0);
  EXPECT_EQ(__ffs(0), 0);
  EXPECT_EQ(__ffs(kIntMin), 32);
  EXPECT_EQ(__popc(0xF0F0u), 8);
  EXPECT_EQ(__umulhi(0xFFFFFFFFu, 0xFFFFFFFFu), 0xFFFFFFFEu);
  EXPECT_EQ(__mulhi(-1, 1), -1);
  EXPECT_EQ(__dp4a(0x01FF0280, 0x01010101, 5), 1 - 1 + 2 - 128 + 5);
  EXPECT_EQ(__dp4a(0x01FF0280u, 0x01010101u, 5u), 1u + 255u + 2u + 128u + 5u);
}

TEST(EmulatedAtomics, ReturnTheOldValue) {
  unsigned value = 3;
  EXPECT_EQ(atomicAdd(&value, 4), 3u);
  EXPECT_EQ(atomicMax(&value, 5), 7u);
  EXPECT_EQ(atomicMin(&value, 5), 7u);
  EXPECT_EQ(atomicOr(&value, 8), 5u);
  EXPECT_EQ(atomicCAS(&value, 13, 1), 13u);
  EXPECT_EQ(atomicCAS(&value, 13, 2), 1u);
  EXPECT_EQ(atomicInc(&value, 1), 1u);
  EXPECT_EQ(atomicDec(&value, 9), 0u);
  EXPECT_EQ(atomicExch(&value, 6), 9u);
  float sum = 1;
  EXPECT_EQ(atomicAdd(&sum, 0.5f), 1.0f);
  EXPECT_EQ(sum, 1.5f);
}

// The toolkit's own conversions for the CPU.
TEST(SmallFloats, ConvertToNearestEven) {
  EXPECT_EQ(__bfloat16_as_ushort(__float2bfloat16_rn(1 + 0x1p-8f)), 0x3F80);
  EXPECT_EQ(__bfloat16_as_ushort(__float2bfloat16_rn(1 + 0x3p-8f)), 0x3F82);
  EXPECT_EQ(__bfloat16_as_ushort(__float2bfloat16_rn(-kNaN)), 0x7FFF);
  EXPECT_EQ(__half_as_ushort(__float2half_rn(0x1p-25f)), 0) << "half the least denormal";
  EXPECT_EQ(__half_as_ushort(__float2half_rn(65520.0f)), 0x7C00);
  // E4M3: 448 is the largest; 2^-9 the least, and its half is a tie with 0.
  EXPECT_EQ(__nv_cvt_float_to_fp8(1e9f, __NV_SATFINITE, __NV_E4M3), 0x7E);
  EXPECT_EQ(__nv_cvt_float_to_fp8(0x1p-10f, __NV_SATFINITE, __NV_E4M3), 0);
  EXPECT_EQ(__nv_cvt_float_to_fp8(0x3p-10f, __NV_SATFINITE, __NV_E4M3), 2);
  EXPECT_EQ(__nv_cvt_float_to_fp8(kNaN, __NV_SATFINITE, __NV_E4M3) & 0x7F, 0x7F);
  // E2M1 has 0, 0.5, 1, 1.5, 2, 3, 4, 6: 2.5 is a tie of the codes 4 and 5, 5 one of 6 and 7.
  EXPECT_EQ(__nv_cvt_float_to_fp4(2.5f, __NV_E2M1, cudaRoundNearest), 4);
  EXPECT_EQ(__nv_cvt_float_to_fp4(-5.0f, __NV_E2M1, cudaRoundNearest), 0xE);
  EXPECT_EQ(__nv_cvt_float_to_fp4(100.0f, __NV_E2M1, cudaRoundNearest), 7);
}

}  // namespace
