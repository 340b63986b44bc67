// SPDX-License-Identifier: Apache-2.0
// sim/study/sweep without flags, files of the program, or a simulator: whatever runs the points, as a
// program of one's own does.
#include <gtest/gtest.h>

#include <cstdlib>
#include <map>

#include "sim/base/error.hpp"
#include "sim/study/sweep/sweep.hpp"
#include "tests/apps/refusals.hpp"

namespace apps_tests {
namespace {

namespace sweep = sim::sweep;

// Each number's square, but for those that something goes wrong with.
sweep::Inputs square_of(const sweep::Inputs& inputs) {
  const int number = inputs.at("number");
  if (number == 1) throw sim::InputError("number: 1 is not for sale");
  if (number == 2) std::abort();
  if (number == 3) throw std::runtime_error("a bug");
  return {{"square", number * number}, {"fits_memory", number != 4}, {"parts", {1, 2}}};
}

// The states of the points of a grid over `number`, after a sweep.
class Squares {
 public:
  explicit Squares(const std::string& numbers, const std::string& more = "")
      : spec_(sweep::parse_spec(more + "[grid]\nnumber = " + numbers, "squares.toml")) {}

  sweep::Totals run(const sweep::Runner& runner, const sweep::Again& again = {}) {
    const sweep::Signals signals;
    sweep::Origins origins = origins_of(runner);
    sweep::Store store =
        open_sweep(file(), identity_of(spec_, {}), points_of(spec_), origins, again);
    return run_points(store, origins, runner, signals, sweep::new_session(runner.version, {}, 2));
  }
  [[nodiscard]] std::vector<sweep::Inputs> records() const {
    sweep::Store store(file(), sweep::Access::read);
    std::vector<sweep::Inputs> all;
    sweep::each_record(store, [&](const sweep::Inputs& record) { all.push_back(record); });
    return all;
  }
  [[nodiscard]] std::filesystem::path file() const { return sandbox_.path() / "s.sqlite"; }
  [[nodiscard]] const Sandbox& sandbox() const { return sandbox_; }

 private:
  Sandbox sandbox_;
  sweep::Spec spec_;
};

TEST(SweepLibrary, APointEndsInTheStateThatItsRunnerSays) {
  Squares squares("[0, 1, 2, 3, 4]");
  const sweep::Totals totals = squares.run({.report = square_of});
  EXPECT_EQ(totals.ended, 5);
  EXPECT_EQ(totals.failed, 3);
  const std::vector<sweep::Inputs> records = squares.records();
  ASSERT_EQ(records.size(), 5U);
  const char* const states[] = {"done", "refused", "crashed", "crashed", "too_large"};
  for (std::size_t i = 0; i < 5; ++i) {
    EXPECT_EQ(records[i]["state"], states[i]);
    EXPECT_EQ(records[i]["in_number"], i);
    EXPECT_EQ(records[i]["square"], i == 0 || i == 4 ? sweep::Inputs(i * i) : sweep::Inputs());
    EXPECT_FALSE(records[i].contains("parts"));  // no figure
  }
  EXPECT_EQ(records[1]["message"], "number: 1 is not for sale");
  EXPECT_EQ(records[2]["message"], "signal 6 (Aborted)");
  EXPECT_EQ(records[3]["message"], "exit code 70; a bug");
}

TEST(SweepLibrary, RunsEachPointOnce) {
  Squares squares("[5, 6, 7]");
  EXPECT_EQ(squares.run({.report = square_of}).ended, 3);
  const sweep::Totals again = squares.run({.report = square_of});
  EXPECT_EQ(again.ended, 0);
  EXPECT_EQ(again.before, 3);
}

TEST(SweepLibrary, RefusesPointsOfAnotherVersionUnlessTheyAreOutdated) {
  Squares squares("[5, 6]");
  EXPECT_EQ(squares.run({.version = "1", .report = square_of}).ended, 2);
  const sweep::Runner newer{.version = "2", .report = square_of};
  EXPECT_THROW(static_cast<void>(squares.run(newer)), sim::InputError);
  EXPECT_EQ(squares.run(newer, {.outdated = true}).ended, 2);
}

TEST(SweepLibrary, RunsAgainWhatCrashed) {
  Squares squares("[2, 5]");
  EXPECT_EQ(squares.run({.report = square_of}).failed, 1);
  const sweep::Totals again = squares.run({.report =
                                               [](const sweep::Inputs&) {
                                                 return sweep::Inputs{{"square", 4}};
                                               }},
                                          {.crashed = true});
  EXPECT_EQ(again.ended, 1);
  EXPECT_EQ(again.failed, 0);
}

TEST(SweepLibrary, KeepsOnlyWhatMeetsTheConditions) {
  Squares squares("[4, 5, 6, 7]", "where = [\"number % 2 = 1\"]\n");
  EXPECT_EQ(squares.run({.report = square_of}).ended, 2);
}

// A file that a point reads is part of what it was computed from.
TEST(SweepLibrary, ANewFileOutdatesItsPoints) {
  Squares squares("[5]");
  const std::string name = (squares.sandbox().path() / "rates.toml").string();
  const sweep::Runner runner{.report = square_of, .files = [&](const sweep::Inputs&) {
                               return sweep::FileNames{{"rates.toml", name}};
                             }};
  squares.sandbox().write("rates.toml", "a = 1\n");
  EXPECT_EQ(squares.run(runner).ended, 1);
  squares.sandbox().write("rates.toml", "a = 2\n");
  try {
    squares.run(runner);
    ADD_FAILURE() << "ran";
  } catch (const sim::InputError& error) {
    EXPECT_NE(std::string(error.what()).find("rates.toml has changed"), std::string::npos)
        << error.what();
  }
}

TEST(SweepLibrary, TakesOnlyTheInputsOfItsRules) {
  const sweep::InputRules rules{
      .problem_of_key = [](const std::string& key) { return key == "a" ? "" : "is not a"; },
      .problem_of_value = [](const std::string&,
                             const sweep::Inputs& value) { return value == 3 ? "is 3" : ""; },
      .required = {"a"}};
  const auto read = [&](const char* text) { return sweep::parse_spec(text, "s.toml", rules); };
  EXPECT_EQ(combinations(read("[grid]\na = [1, 2]\n")), 2);
  for (const auto& [text, problem] :
       std::map<const char*, const char*>{{"[grid]\na = [1]\nb = [1]\n", "is not a"},
                                          {"[grid]\na = [1, 3]\n", "is 3"},
                                          {"[grid]\n", "no a in any table"}}) {
    try {
      static_cast<void>(read(text));
      ADD_FAILURE() << text;
    } catch (const sim::InputError& error) {
      EXPECT_NE(std::string(error.what()).find(problem), std::string::npos) << error.what();
    }
  }
}

}  // namespace
}  // namespace apps_tests
