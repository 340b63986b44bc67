// SPDX-License-Identifier: Apache-2.0
// The vector code of codecs/cpu, as one table of functions for each instruction set: what they take
// and give. They look only at the part of a tensor that they are given, so that threads can share
// one. Sizes have been checked, and padding written, by their callers.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "codecs/feedback/feedback.hpp"
#include "codecs/group/group.hpp"
#include "codecs/sums/sums.hpp"

namespace codecs::cpu {

// Values are read, transformed and encoded in segments that stay in the first-level cache.
inline constexpr std::size_t kSegment = 2048;

// What is encoded: the values, or with feedback their sum with a residual, which is updated.
struct Input {
  const float* values = nullptr;
  std::size_t elements = 0;
  const Feedback* feedback = nullptr;
  float* residual = nullptr;  // null without feedback
};

// Random bytes of codecs/random/random.hpp.
struct Draws {
  std::array<std::uint32_t, 2> key = {};  // philox_key()
  std::uint32_t tensor = 0;
  std::uint32_t rank = 0;
  std::uint64_t first_element = 0;
};

// The smallest and largest float of some, as integers in the order of floats, -0 below +0. NaNs are
// beyond the infinities.
struct Bounds {
  std::int32_t low = 0x7FFFFFFF;
  std::int32_t high = -0x7FFFFFFF - 1;
};

// Of one group: code = round((value - minimum) * multiply), all codes 0 if multiply is 0.
struct Grid {
  float step = 0;  // the stored scale
  float minimum = 0;
  float multiply = 0;
};
[[nodiscard]] Grid grid_of(const Format& format, const Bounds& bounds);

struct GroupJob {
  Format format = {};
  GroupWire layout = {};
  Input input = {};
  Draws draws = {};
  std::byte* wire = nullptr;
};

struct GroupSum {
  Format format = {};
  GroupWire layout = {};
  const std::byte* wires = nullptr;
  std::size_t inputs = 1;
  float* sums = nullptr;
  std::size_t elements = 0;
  bool adds = false;  // to what `sums` has, which is overwritten otherwise
};

struct SignJob {
  Format format = {};
  GroupWire layout = {};
  Input input = {};
  std::byte* wire = nullptr;
};

struct Kernels {
  void (*to_bf16)(const float* values, std::size_t count, std::byte* wire);
  void (*from_bf16)(const std::byte* wire, std::size_t count, float* values);
  void (*add_bf16)(const std::byte* wire, std::size_t count, float* values);
  // bf16 with feedback.
  void (*to_bf16_feedback)(const Input& input, std::size_t first, std::size_t count,
                           std::byte* wire);

  // Groups [first, last) of groups of at most 2^20 elements, with their scales.
  void (*encode_groups)(const GroupJob& job, std::size_t first, std::size_t last);
  // Of a group that is the tensor, elements [first, first + count); first is a multiple of kSegment.
  Bounds (*bounds)(const GroupJob& job, std::size_t first, std::size_t count);
  void (*quantise)(const GroupJob& job, const Grid& grid, std::size_t first, std::size_t count);
  // Groups [first, last); of a group that is the tensor, its segments.
  void (*sum_groups)(const GroupSum& job, std::size_t first, std::size_t last);

  // Groups [first, last) of `to`, of at most kSegment elements: sums of the groups of `from` that come
  // `skipped` later, in the domain of both wires. `to` has no input.
  void (*requantise)(const GroupSum& from, const GroupJob& to, std::size_t skipped,
                     std::size_t first, std::size_t last);

  // Groups [first, last) of signs, with their scales.
  void (*encode_signs)(const SignJob& job, std::size_t first, std::size_t last);
  // Of a group that is the tensor: the sum of strip `strip` of codecs/sums/sums.hpp; and the signs
  // of the strip under that group's scale.
  float (*sum_strip)(const SignJob& job, std::size_t strip);
  void (*sign_strip)(const SignJob& job, float scale, std::size_t strip);
  void (*sum_signs)(const GroupSum& job, std::size_t first, std::size_t last);
};

}  // namespace codecs::cpu
