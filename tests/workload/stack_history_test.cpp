// SPDX-License-Identifier: Apache-2.0
// Stacks at a date: each change takes effect on its day, and later dates are today.
#include "sim/workload/stack_history.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <string>
#include <vector>

#include "sim/base/error.hpp"
#include "sim/workload/parallelism_fields.hpp"

namespace sim {
namespace {

constexpr StackDate kLater{9999};

// The end of the day, or month, before.
StackDate before(const StackDate& date) {
  using namespace std::chrono;
  if (date.day == 0)
    return date.month == 1 ? StackDate{date.year - 1} : StackDate{date.year, date.month - 1};
  const year_month_day eve = sys_days(year(date.year) / date.month / date.day) - days(1);
  return {int(eve.year()), int(unsigned(eve.month())), int(unsigned(eve.day()))};
}

// All that a date can change.
Parallelism choices(const Stack& stack, const StackDate& date) {
  const GivenFields given{{"stack", stack_name(stack, date)}};
  Parallelism p = parallelism_of(given);
  p.stack_date = {};
  return p;
}

TEST(StackDates, AreWrittenAsTheyAreRead) {
  for (const std::string text : {"2023", "2023-10", "2024-02-29", "0001-01-01"}) {
    const auto date = parse_stack_date(text);
    ASSERT_TRUE(date) << text;
    EXPECT_EQ(to_text(*date), text);
  }
  for (const std::string text :
       {"", "-", "23", "2023-", "2023-13", "2023-00", "2023-1", "2023-02-29", "2023-10-31-1",
        "2023-10-1", "20231", "0000", "2023/10", " 2023", "+023", "today"}) {
    EXPECT_FALSE(parse_stack_date(text)) << text;
  }
  EXPECT_EQ(to_text(StackDate{}), "");
}

TEST(StackDates, EndWithTheirMonthOrYear) {
  const std::vector<StackDate> ascending{{2023, 1, 1},   {2023, 2},      {2023, 3, 1},
                                         {2023, 12, 30}, {2023, 12, 31}, {2024, 1}};
  for (std::size_t i = 1; i < ascending.size(); ++i) {
    EXPECT_TRUE(is_before(ascending[i - 1], ascending[i])) << i;
    EXPECT_FALSE(is_before(ascending[i], ascending[i - 1])) << i;
  }
  EXPECT_FALSE(is_before({2023}, {2023, 12, 31}));
  EXPECT_FALSE(is_before({2023, 12, 31}, {2023}));
  EXPECT_FALSE(is_before({2024, 2, 29}, {2024, 2}));
}

TEST(StackChanges, GoBackToTheFirstRelease) {
  const auto changes = stack_changes();
  EXPECT_TRUE(std::ranges::is_sorted(changes, [](const auto& newer, const auto& older) {
    return is_before(older.since, newer.since);
  }));
  for (const StackChange& change : changes) {
    EXPECT_FALSE(change.source.empty()) << to_text(change.since);
    for (const Stack* stack : change.stacks) {
      if (stack == nullptr) continue;
      EXPECT_FALSE(is_before(before(change.since), stack->first)) << stack->name;
    }
  }
  for (const Stack* stack : all_stacks()) EXPECT_TRUE(is_given(stack->first)) << stack->name;
}

// The day before, the stack has what the row says; on the day, it has something else.
TEST(StackChanges, TakeEffectOnTheirDay) {
  for (const StackChange& change : stack_changes()) {
    for (const Stack* stack : change.stacks) {
      if (stack == nullptr) continue;
      const Stack old = at_date(*stack, before(change.since));
      const Stack changed = at_date(*stack, change.since);
      const auto expect = [&](const auto& was, const auto& then, const auto& now) {
        EXPECT_EQ(then, was.value_or(then)) << stack->name << " " << to_text(change.since);
        EXPECT_EQ(then != now, was.has_value()) << stack->name << " " << to_text(change.since);
      };
      const OldChoices& was = change.before;
      expect(was.zero, old.zero, changed.zero);
      expect(was.attention, old.attention, changed.attention);
      expect(was.kernels, old.kernels, changed.kernels);
      expect(was.loss, old.loss, changed.loss);
      expect(was.optimizer, old.optimizer, changed.optimizer);
      expect(was.overlap, old.overlap, changed.overlap);
      expect(was.recomputes_what_is_read, old.recomputes_what_is_read,
             changed.recomputes_what_is_read);
      // And so has a job.
      const Parallelism p = parallelism_of({{"stack", stack_name(*stack, before(change.since))}});
      EXPECT_EQ(p.attention, old.attention);
      EXPECT_EQ(p.kernels, old.kernels);
      EXPECT_EQ(p.loss, old.loss);
      EXPECT_EQ(p.optimizer, old.optimizer);
      EXPECT_EQ(p.overlap, old.overlap);
      EXPECT_EQ(p.sharding.stage, old.zero);
      Parallelism full = p;
      full.recompute = Recompute::full;
      EXPECT_EQ(recomputes_last(full), !old.recomputes_what_is_read);
    }
  }
}

TEST(StackChanges, LeaveTodayAlone) {
  for (const Stack* stack : all_stacks()) {
    EXPECT_EQ(choices(*stack, kLater), choices(*stack, {})) << stack->name;
    EXPECT_EQ(stack_source(*stack, kLater), stack->source);
  }
}

TEST(StackNames, AreThoseThatWereAsked) {
  for (const Stack* stack : all_stacks()) {
    for (const StackDate& date : {StackDate{}, stack->first, StackDate{2025}, StackDate{2025, 1}}) {
      const std::string name = stack_name(*stack, date);
      const Parallelism p = parallelism_of({{"stack", name}});
      EXPECT_EQ(p.stack, stack);
      EXPECT_EQ(stack_name(*p.stack, p.stack_date), name);
    }
  }
  EXPECT_EQ(stack_name(stacks::composer, {2023, 10}), "composer@2023-10");
}

TEST(DatedStacks, FillInOnlyWhatIsOpen) {
  const Parallelism p = parallelism_of(
      {{"stack", "torch-eager@2022-06"}, {"attention", "flash3"}, {"optimizer", "adamw"}});
  EXPECT_EQ(p.attention, Attention::flash3);
  EXPECT_EQ(p.optimizer, Optimizer::adamw);
}

std::string refusal(const std::string& stack) {
  try {
    static_cast<void>(parallelism_of({{"stack", stack}}));
  } catch (const InputError& error) {
    return error.what();
  }
  return "";
}

TEST(DatedStacks, AreRefusedBeforeTheirFirstReleaseAndWithoutADate) {
  EXPECT_EQ(refusal("composer@2023-13"),
            "`stack`: '2023-13' is not a date; write e.g. composer@2023, composer@2023-10 or "
            "composer@2023-10-31");
  EXPECT_NE(refusal("composer@").find("'' is not a date"), std::string::npos);
  EXPECT_NE(refusal("compozer@2023").find("did you mean composer?"), std::string::npos);
  for (const Stack* stack : all_stacks()) {
    const std::string first = to_text(stack->first);
    EXPECT_EQ(refusal(std::string(stack->name) + "@" + first), "");
    EXPECT_NE(refusal(stack_name(*stack, before(stack->first))).find("first released on " + first),
              std::string::npos);
  }
}

}  // namespace
}  // namespace sim
