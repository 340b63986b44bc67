// SPDX-License-Identifier: Apache-2.0
#include "codecs/cpu/processor.hpp"

namespace codecs::cpu {
namespace {

// As in Highway's targets.cc; the compiler's function asks whether the system keeps the registers.
bool has_sse4() {
  return __builtin_cpu_supports("sse4.2") != 0 && __builtin_cpu_supports("pclmul") != 0 &&
         __builtin_cpu_supports("aes") != 0;
}

bool has_avx2() {
  return has_sse4() && __builtin_cpu_supports("avx2") != 0 && __builtin_cpu_supports("fma") != 0 &&
         __builtin_cpu_supports("bmi") != 0 && __builtin_cpu_supports("bmi2") != 0;
}

bool has_avx3() {
  return has_avx2() && __builtin_cpu_supports("avx512f") != 0 &&
         __builtin_cpu_supports("avx512vl") != 0 && __builtin_cpu_supports("avx512dq") != 0 &&
         __builtin_cpu_supports("avx512bw") != 0 && __builtin_cpu_supports("avx512cd") != 0;
}

}  // namespace

bool has_instructions(std::string_view target) {
  __builtin_cpu_init();
  if (target == "AVX3") return has_avx3();
  if (target == "AVX2") return has_avx2();
  return target == "SSE4" && has_sse4();
}

}  // namespace codecs::cpu
