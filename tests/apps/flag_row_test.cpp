// SPDX-License-Identifier: Apache-2.0
// A new flag of a job takes one row: the help, the reader, the refusals and the writer of what
// differs have it from there.
#include <gtest/gtest.h>

#include <sstream>

#include "apps/arguments.hpp"
#include "apps/job/field_flags.hpp"
#include "tests/apps/program.hpp"
#include "tests/input_errors.hpp"

namespace apps_tests {
namespace {

namespace po = boost::program_options;
using Rows = sim::ParallelismFields;

constexpr sim::ParallelismField kOldFlags[] = {
    sim::number_field<&sim::Parallelism::tensor>("tp", "Ranks.")};
constexpr sim::ParallelismField kNewFlags[] = {
    kOldFlags[0], sim::number_field<&sim::Parallelism::loss_metrics>(
                      "loss-metrics", "Metrics beside `tp`.", "none, as `tp`")};

sim::GivenFields given_by(Rows rows, const std::string& flags) {
  po::options_description known;
  sim::GivenFields given;
  apps::add_field_flags(known, rows, given);
  EXPECT_TRUE(apps::parse_arguments(words(flags), "", known));
  return given;
}

std::string help_of(Rows rows, const apps::ChosenFlags& chosen = {}) {
  po::options_description known;
  sim::GivenFields given;
  apps::add_field_flags(known, rows, given, {.chosen = chosen});
  std::ostringstream help;
  help << known;
  return help.str();
}

std::string refusal_of(Rows rows, const std::string& flags) {
  return input_error_of([&] { static_cast<void>(given_by(rows, flags)); });
}

TEST(FlagRow, IsInTheHelp) {
  EXPECT_EQ(help_of(kOldFlags), "  --tp arg (=1)         Ranks.\n");
  EXPECT_EQ(help_of(kNewFlags),
            "  --tp arg (=1)         Ranks.\n"
            "  --loss-metrics arg    Metrics beside --tp. (default: none, as --tp)\n");
  EXPECT_EQ(help_of(kNewFlags, {"tp", "loss-metrics"}),
            "  --tp arg (=chosen)    Ranks.\n"
            "  --loss-metrics arg    Metrics beside --tp. (default: chosen)\n");
}

TEST(FlagRow, IsReadAndWritten) {
  sim::Parallelism p;
  sim::read_given(kNewFlags, given_by(kNewFlags, "--loss-metrics 3"), p);
  EXPECT_EQ(p.loss_metrics, 3);
  EXPECT_EQ(p.tensor, 1);
  EXPECT_EQ(sim::changed_fields({}, p, kNewFlags), "`loss-metrics` 3");
  EXPECT_EQ(sim::changed_fields({}, p, kOldFlags), "");
  EXPECT_EQ(sim::changed_fields(p, {}, kNewFlags), " (no `loss-metrics`)");
}

TEST(FlagRow, IsRefused) {
  EXPECT_EQ(refusal_of(kNewFlags, "--loss-metrics 0"), "`loss-metrics`: 0 is less than 1");
  EXPECT_EQ(refusal_of(kNewFlags, "--loss-metrics many"),
            "--loss-metrics: 'many' is not a whole number; write e.g. 8");
  EXPECT_EQ(refusal_of(kNewFlags, "--loss-metric 1"),
            "--loss-metric: unknown flag; did you mean --loss-metrics?");
}

TEST(FlagRow, StandsBeforeAnother) {
  constexpr sim::ParallelismField kRows[] = {
      kNewFlags[0], kNewFlags[1].with<&sim::ParallelismField::before>("tp")};
  EXPECT_EQ(sim::changed_fields({}, {.tensor = 2, .loss_metrics = 1}, kRows),
            "`loss-metrics` 1 `tp` 2");
}

}  // namespace
}  // namespace apps_tests
