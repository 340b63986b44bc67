// SPDX-License-Identifier: Apache-2.0
// What the C interfaces of both libraries do with their arguments.
#pragma once

#include <cstddef>
#include <cstdint>
#include <exception>
#include <initializer_list>
#include <iterator>
#include <span>
#include <stdexcept>

#include "codecs/c/gardenhose_codecs.h"
#include "codecs/codec.hpp"
#include "codecs/feedback/feedback.hpp"

namespace codecs {

// More than any memory holds: the sizes of fewer values do not overflow.
inline constexpr std::size_t kMostElements = std::size_t{1} << 48;

inline void require_in_memory(std::size_t elements) {
  require(elements <= kMostElements, "more values than memory holds");
}

// What a call writes lies apart from all else that it takes.
inline void require_apart(std::initializer_list<std::span<const std::byte>> memories) {
  for (auto one = memories.begin(); one != memories.end(); ++one) {
    for (auto other = std::next(one); other != memories.end(); ++other) {
      const auto here = reinterpret_cast<std::uintptr_t>(one->data());
      const auto there = reinterpret_cast<std::uintptr_t>(other->data());
      const bool empty = one->empty() || other->empty();
      const bool apart = here < there ? there - here >= one->size() : here - there >= other->size();
      require(empty || apart, "memory overlaps");
    }
  }
}

inline RandomKey key_of(const gardenhose_random_key* key) {
  if (key == nullptr) return {};
  require(key->first_element % 16 == 0, "the first element is a multiple of 16");
  return {.seed = key->seed,
          .step = key->step,
          .tensor = key->tensor,
          .rank = key->rank,
          .first_element = key->first_element};
}

inline Feedback rule_of(const gardenhose_feedback* feedback) {
  require(feedback != nullptr, "a pointer is null");
  return {.gain = feedback->gain,
          .carry = feedback->carry,
          .keep = feedback->keep,
          .take = feedback->take};
}

// The row of that name in a table whose rows have a codec; or null.
template <typename Row>
const Row* row_named(std::span<const Row> rows, const char* name) {
  if (name == nullptr) return nullptr;
  for (const Row& row : rows) {
    if (row.codec->name == name) return &row;
  }
  return nullptr;
}

// The name of a row, or null beyond the last. Names are literals: they end in a zero.
template <typename Row>
const char* name_at(std::span<const Row> rows, std::size_t index) {
  return index < rows.size() ? rows[index].codec->name.data() : nullptr;
}

// work(row) of the codec with that name; what it throws becomes a status.
template <typename Row, typename Work>
gardenhose_status with_row(std::span<const Row> rows, const char* name, const Work& work) {
  const Row* const row = row_named(rows, name);
  if (row == nullptr) return GARDENHOSE_UNKNOWN_CODEC;
  try {
    return work(*row);
  } catch (const std::invalid_argument&) {
    return GARDENHOSE_WRONG_ARGUMENT;
  } catch (const std::exception&) {
    return GARDENHOSE_FAILED;
  }
}

}  // namespace codecs
