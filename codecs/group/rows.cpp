// SPDX-License-Identifier: Apache-2.0
// The rows of the registry: the parameters that the literature uses. A summary says what has the
// scale, and how codes are rounded.
#include "codecs/group/group.hpp"

namespace codecs {
namespace {

constexpr Codec row(std::string_view name, std::string_view summary, const Format& format) {
  return {.name = name,
          .summary = summary,
          .format = format,
          .encode = encode_groups,
          .decode = decode_groups};
}

constexpr Format nearest(Element element, Scale scale, std::size_t group) {
  return {.element = element, .scale = scale, .group = group};
}

constexpr Format stochastic(Element element, Scale scale, std::size_t group) {
  return {.element = element, .scale = scale, .group = group, .rounding = Rounding::stochastic};
}

constexpr Format hadamard(Format format) {
  format.rotation = Rotation::hadamard;
  return format;
}

}  // namespace

constexpr Codec fp8_e4m3 = row("fp8_e4m3", "FP8 E4M3, one scale per tensor, nearest",
                               nearest(Element::e4m3, Scale::amax, kWholeTensor));
constexpr Codec fp8_e5m2 = row("fp8_e5m2", "FP8 E5M2, one scale per tensor, nearest",
                               nearest(Element::e5m2, Scale::amax, kWholeTensor));
constexpr Codec fp8_e4m3_g128 =
    row("fp8_e4m3_g128", "FP8 E4M3, one scale per 128 elements, nearest",
        nearest(Element::e4m3, Scale::amax, 128));
constexpr Codec fp8_e5m2_g128 =
    row("fp8_e5m2_g128", "FP8 E5M2, one scale per 128 elements, nearest",
        nearest(Element::e5m2, Scale::amax, 128));
constexpr Codec mxfp8 = row("mxfp8", "MXFP8 E4M3, power-of-two scales rounded up, nearest",
                            nearest(Element::e4m3, Scale::e8m0_ceil, 32));
constexpr Codec mxfp8_floor =
    row("mxfp8_floor", "MXFP8 E4M3, power-of-two scales rounded down as OCP specifies, nearest",
        nearest(Element::e4m3, Scale::e8m0_floor, 32));
constexpr Codec mxfp8_e5m2 =
    row("mxfp8_e5m2", "MXFP8 E5M2, power-of-two scales rounded up, nearest",
        nearest(Element::e5m2, Scale::e8m0_ceil, 32));
constexpr Codec mxfp4 =
    row("mxfp4", "MXFP4, power-of-two scales from the rounded maximum magnitude, nearest",
        nearest(Element::e2m1, Scale::e8m0_even, 32));
constexpr Codec mxfp4_sr =
    row("mxfp4_sr", "MXFP4, power-of-two scales from the rounded maximum magnitude, stochastic",
        stochastic(Element::e2m1, Scale::e8m0_even, 32));
constexpr Codec mxfp4_ceil = row("mxfp4_ceil", "MXFP4, power-of-two scales rounded up, nearest",
                                 nearest(Element::e2m1, Scale::e8m0_ceil, 32));
constexpr Codec mxfp4_floor =
    row("mxfp4_floor", "MXFP4, power-of-two scales rounded down as OCP specifies, nearest",
        nearest(Element::e2m1, Scale::e8m0_floor, 32));
constexpr Codec nvfp4 = row("nvfp4", "NVFP4, one E4M3 scale per 16 elements, nearest",
                            nearest(Element::e2m1, Scale::e4m3_tensor, 16));
constexpr Codec nvfp4_sr = row("nvfp4_sr", "NVFP4, one E4M3 scale per 16 elements, stochastic",
                               stochastic(Element::e2m1, Scale::e4m3_tensor, 16));
constexpr Codec int8_g128 = row("int8_g128", "INT8, one scale per 128 elements, nearest",
                                nearest(Element::int8, Scale::amax, 128));
constexpr Codec int8_g128_sr = row("int8_g128_sr", "INT8, one scale per 128 elements, stochastic",
                                   stochastic(Element::int8, Scale::amax, 128));
constexpr Codec int8_g128_hadamard_sr =
    row("int8_g128_hadamard_sr", "Hadamard-transformed INT8, one scale per 128, stochastic",
        hadamard(stochastic(Element::int8, Scale::amax, 128)));
constexpr Codec int8_g512 = row("int8_g512", "INT8, one scale per 512 elements, nearest",
                                nearest(Element::int8, Scale::amax, 512));
constexpr Codec int8_g512_sr = row("int8_g512_sr", "INT8, one scale per 512 elements, stochastic",
                                   stochastic(Element::int8, Scale::amax, 512));
constexpr Codec int8_g2048 = row("int8_g2048", "INT8, one scale per 2048 elements, nearest",
                                 nearest(Element::int8, Scale::amax, 2048));
constexpr Codec int8_g2048_sr =
    row("int8_g2048_sr", "INT8, one scale per 2048 elements, stochastic",
        stochastic(Element::int8, Scale::amax, 2048));
constexpr Codec int4_g32 = row("int4_g32", "INT4, one scale per 32 elements, nearest",
                               nearest(Element::int4, Scale::amax, 32));
constexpr Codec int4_g32_sr = row("int4_g32_sr", "INT4, one scale per 32 elements, stochastic",
                                  stochastic(Element::int4, Scale::amax, 32));
constexpr Codec int4_g64 = row("int4_g64", "INT4, one scale per 64 elements, nearest",
                               nearest(Element::int4, Scale::amax, 64));
constexpr Codec int4_g64_sr = row("int4_g64_sr", "INT4, one scale per 64 elements, stochastic",
                                  stochastic(Element::int4, Scale::amax, 64));
constexpr Codec int4_g128 = row("int4_g128", "INT4, one scale per 128 elements, nearest",
                                nearest(Element::int4, Scale::amax, 128));
constexpr Codec int4_g128_sr = row("int4_g128_sr", "INT4, one scale per 128 elements, stochastic",
                                   stochastic(Element::int4, Scale::amax, 128));
constexpr Codec int4_g128_hadamard =
    row("int4_g128_hadamard", "Hadamard-transformed INT4, one scale per 128, nearest",
        hadamard(nearest(Element::int4, Scale::amax, 128)));
constexpr Codec int4_g128_hadamard_sr =
    row("int4_g128_hadamard_sr", "Hadamard-transformed INT4, one scale per 128, stochastic",
        hadamard(stochastic(Element::int4, Scale::amax, 128)));
constexpr Codec int4_g256 = row("int4_g256", "INT4, one scale per 256 elements, nearest",
                                nearest(Element::int4, Scale::amax, 256));
constexpr Codec int4_g256_sr = row("int4_g256_sr", "INT4, one scale per 256 elements, stochastic",
                                   stochastic(Element::int4, Scale::amax, 256));
constexpr Codec int4_g512 = row("int4_g512", "INT4, one scale per 512 elements, nearest",
                                nearest(Element::int4, Scale::amax, 512));
constexpr Codec int4_g512_sr = row("int4_g512_sr", "INT4, one scale per 512 elements, stochastic",
                                   stochastic(Element::int4, Scale::amax, 512));
constexpr Codec int4_g1024 = row("int4_g1024", "INT4, one scale per 1024 elements, nearest",
                                 nearest(Element::int4, Scale::amax, 1024));
constexpr Codec int4_g1024_sr =
    row("int4_g1024_sr", "INT4, one scale per 1024 elements, stochastic",
        stochastic(Element::int4, Scale::amax, 1024));
constexpr Codec int4_g2048 = row("int4_g2048", "INT4, one scale per 2048 elements, nearest",
                                 nearest(Element::int4, Scale::amax, 2048));
constexpr Codec int4_g2048_sr =
    row("int4_g2048_sr", "INT4, one scale per 2048 elements, stochastic",
        stochastic(Element::int4, Scale::amax, 2048));
constexpr Codec int2_g32_sr = row("int2_g32_sr", "INT2, one scale per 32 elements, stochastic",
                                  stochastic(Element::int2, Scale::amax, 32));
constexpr Codec int2_g128_sr = row("int2_g128_sr", "INT2, one scale per 128 elements, stochastic",
                                   stochastic(Element::int2, Scale::amax, 128));
constexpr Codec int8_full_g2048 =
    row("int8_full_g2048",
        "INT8 with the largest magnitude mapped to 128 (ZeRO++ qwZ), one scale per 2048, nearest",
        nearest(Element::int8, Scale::amax_full, 2048));
constexpr Codec int4_full_g128 =
    row("int4_full_g128",
        "INT4 with the largest magnitude mapped to 8 (ZeRO++ qgZ), one scale per 128, nearest",
        nearest(Element::int4, Scale::amax_full, 128));
constexpr Codec int4_full_g2048 =
    row("int4_full_g2048",
        "INT4 with the largest magnitude mapped to 8 (ZeRO++ qgZ), one scale per 2048, nearest",
        nearest(Element::int4, Scale::amax_full, 2048));
constexpr Codec int8_minmax_g1024 =
    row("int8_minmax_g1024", "INT8 over the range of 1024 elements (QSDP, CGX), nearest",
        nearest(Element::int8, Scale::min_max, 1024));
constexpr Codec int8_minmax_g1024_sr =
    row("int8_minmax_g1024_sr", "INT8 over the range of 1024 elements (QSDP, CGX), stochastic",
        stochastic(Element::int8, Scale::min_max, 1024));
constexpr Codec int4_minmax_g512 = row(
    "int4_minmax_g512", "INT4 from the minimum to the maximum of 512 elements (QSDP, CGX), nearest",
    nearest(Element::int4, Scale::min_max, 512));
constexpr Codec int4_minmax_g512_sr =
    row("int4_minmax_g512_sr",
        "INT4 from the minimum to the maximum of 512 elements (QSDP, CGX), stochastic",
        stochastic(Element::int4, Scale::min_max, 512));
constexpr Codec fbgemm_e4m3_g32 =
    row("fbgemm_e4m3_g32", "FP8 with 4 exponent bits, one scale per 32 (FBGEMM forward), nearest",
        nearest(Element::e4m3, Scale::reciprocal, 32));
constexpr Codec fbgemm_e5m2_g32 =
    row("fbgemm_e5m2_g32", "FP8 with 5 exponent bits, one scale per 32 (FBGEMM backward), nearest",
        nearest(Element::e5m2, Scale::reciprocal, 32));
constexpr Codec fbgemm_int8_g32 =
    row("fbgemm_int8_g32", "INT8 over the range of 32 elements (FBGEMM rowwise), nearest",
        nearest(Element::int8, Scale::min_max, 32));
constexpr Codec nf4_g64 = row("nf4_g64", "NF4, one scale per 64 elements, nearest",
                              nearest(Element::nf4, Scale::amax, 64));
constexpr Codec nf4_g128 = row("nf4_g128", "NF4, one scale per 128 elements, nearest",
                               nearest(Element::nf4, Scale::amax, 128));
constexpr Codec bnb8_g4096 =
    row("bnb8_g4096", "bitsandbytes' 8-bit dynamic map, one scale per 4096 elements, nearest",
        nearest(Element::dynamic8, Scale::amax, 4096));
constexpr Codec qsgd_int8_g512 =
    row("qsgd_int8_g512", "QSGD, 127 levels, one norm per 512 elements, stochastic",
        stochastic(Element::int8, Scale::norm, 512));
constexpr Codec qsgd_int4_g512 =
    row("qsgd_int4_g512", "QSGD, 7 levels, one norm per 512 elements, stochastic",
        stochastic(Element::int4, Scale::norm, 512));

}  // namespace codecs
