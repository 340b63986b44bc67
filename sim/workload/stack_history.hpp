// SPDX-License-Identifier: Apache-2.0
// Histories of the stacks: what each of their choices was before a release changed it. A stack at a
// date is today's row, to which the old values of all later changes are applied, newest first.
#pragma once

#include <array>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "sim/workload/stacks.hpp"

namespace sim {

// The choices of a stack that its history has changed.
struct OldChoices {
  std::optional<int> zero = {};
  std::optional<Attention> attention = {};
  std::optional<Kernels> kernels = {};
  std::optional<Loss> loss = {};
  std::optional<Optimizer> optimizer = {};
  std::optional<Overlap> overlap = {};
  std::optional<bool> recomputes_what_is_read = {};
};

// "attention unfused, zero 0".
[[nodiscard]] std::string to_text(const OldChoices& choices);

struct StackChange {
  std::array<const Stack*, 3> stacks;  // those that it changed; unused: null
  StackDate since;                     // the release with the new values
  OldChoices before;
  std::string_view source;
};

// Newest first.
[[nodiscard]] std::span<const StackChange> stack_changes();
[[nodiscard]] bool has_changed(const StackChange& change, const Stack& stack);
// Whether the stack at the date still has the old values. Without a date: no.
[[nodiscard]] bool is_later(const StackChange& change, const StackDate& date);

[[nodiscard]] Stack at_date(const Stack& today, const StackDate& date);
// "composer@2023-10", or "composer" without a date.
[[nodiscard]] std::string stack_name(const Stack& stack, const StackDate& date);
// Of the choices at the date: the source of today's, then those of all later changes.
[[nodiscard]] std::string stack_source(const Stack& stack, const StackDate& date);

}  // namespace sim
