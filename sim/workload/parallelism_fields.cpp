// SPDX-License-Identifier: Apache-2.0
#include "sim/workload/parallelism_fields.hpp"

#include <algorithm>
#include <cstdint>
#include <limits>

#include "sim/base/error.hpp"
#include "sim/workload/stack_history.hpp"

namespace sim {
namespace {

struct GivenStack {
  const Stack* stack = nullptr;  // null: none is given
  StackDate date = {};
};

// NAME or NAME@DATE.
GivenStack stack_given(const GivenFields& given) {
  if (!given.contains("stack")) return {};
  const std::string& text = given.at("stack");
  const std::size_t at = text.find('@');
  const Stack& stack = row_named("`stack`", text.substr(0, at), all_stacks());
  if (at == std::string::npos) return {&stack};
  const std::string date_text = text.substr(at + 1);
  const auto date = parse_stack_date(date_text);
  if (!date) {
    throw InputError(
        fmt::format("`stack`: '{}' is not a date; write e.g. {}@2023, {}@2023-10 or {}@2023-10-31",
                    printable(date_text), stack.name, stack.name, stack.name));
  }
  if (is_before(*date, stack.first)) {
    throw InputError(fmt::format(
        "`stack`: {} was first released on {}, after {}; write a later date or another stack",
        stack.name, to_text(stack.first), date_text));
  }
  return {&stack, *date};
}

}  // namespace

void refuse(const ParallelismField& row, std::string_view what) {
  throw InputError(fmt::format("`{}`: {}", row.name, what));
}

std::string usual_text(const ParallelismField& row) {
  if (!row.usual.is_value || !row.usual.words.empty()) return std::string(row.usual.words);
  return row.write(row, {});
}

void read_given(ParallelismFields rows, const GivenFields& given, Parallelism& into) {
  for (const bool asks_others : {false, true}) {
    for (const ParallelismField& row : rows) {
      if (!given.contains(row.name) || (row.misfit != nullptr) != asks_others) continue;
      const std::string_view why = asks_others ? row.misfit(into) : "";
      if (!why.empty()) refuse(row, why);
      row.read(row, given.at(row.name), into);
    }
  }
}

std::optional<int> stage_of(const GivenFields& given) {
  if (given.contains("zero")) return number_in<int>(given.at("zero"));
  const auto [stack, date] = stack_given(given);
  return stack == nullptr ? std::nullopt : std::optional(at_date(*stack, date).zero);
}

OpenSoftware open_software(const GivenFields& given) {
  const auto [stack, date] = stack_given(given);
  return {.attention = !given.contains("attention"),
          .kernels = !given.contains("kernels"),
          .overlap = !given.contains("overlap"),
          .stack = stack,
          .date = date};
}

Parallelism parallelism_of(const GivenFields& given) {
  const int stage = stage_of(given).value_or(1);
  const OpenSoftware open = open_software(given);
  const Stack stack = stack_of(stage, open);
  Parallelism p = at_stage({}, stage, open);
  p.loss = stack.loss;
  p.optimizer = stack.optimizer;
  p.sharding.prefetch_after_backward = stage == 3 && stack.prefetch_after_backward;
  read_given(parallelism_fields(), given, p);
  return p;
}

int accumulation_of(const GivenFields& given, const Parallelism& read, int replicas) {
  if (!given.contains("global-batch")) return read.accumulation;
  if (given.contains("accumulation")) {
    throw InputError("`global-batch`: conflicts with `accumulation`; specify only one of them");
  }
  const std::int64_t batch = number_in<std::int64_t>(given.at("global-batch")).value_or(0);
  const std::int64_t pass = std::int64_t{read.micro_batch} * replicas;
  if (batch < pass || batch % pass != 0) {
    throw InputError(fmt::format(
        "`global-batch`: {} is not a multiple of {} sequences (micro-batch {} x {} replicas)",
        batch, pass, read.micro_batch, replicas));
  }
  constexpr std::int64_t kMost = std::numeric_limits<int>::max();
  return static_cast<int>(std::min(batch / pass, kMost));
}

std::string changed_fields(const Parallelism& a, const Parallelism& b, ParallelismFields rows) {
  std::string text, none;
  const auto add = [&](const ParallelismField& row) {
    if (row.write == nullptr || (row.misfit != nullptr && !row.misfit(b).empty())) return;
    const std::string after = row.write(row, b);
    if (after == row.write(row, a)) return;
    if (after.empty()) none += fmt::format(" (no `{}`)", row.name);
    if (!after.empty()) text += fmt::format("{}`{}` {}", text.empty() ? "" : " ", row.name, after);
  };
  for (const ParallelismField& row : rows) {
    if (!row.before.empty()) continue;
    for (const ParallelismField& other : rows) {
      if (other.before == row.name) add(other);
    }
    add(row);
  }
  return text + none;
}

}  // namespace sim
