// SPDX-License-Identifier: Apache-2.0
// Every shipped model is found by its name and trains.
#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "tests/apps/answers.hpp"
#include "tests/shipped_files.hpp"

namespace apps_tests {
namespace {

std::vector<std::string> names_of_models() {
  std::vector<std::string> names;
  for (const auto& file : shipped_files("traces/models", ".toml")) names.push_back(file.stem());
  return names;
}

class ShippedModel : public testing::TestWithParam<std::string> {};

INSTANTIATE_TEST_SUITE_P(All, ShippedModel, testing::ValuesIn(names_of_models()),
                         [](const auto& instance) {
                           std::string name = instance.param;
                           std::ranges::replace(name, '.', '_');
                           return name;
                         });

TEST_P(ShippedModel, TrainsBelowThePeakOfItsGpus) {
  const auto report = json_of(
      "run --topology dgx_h100_x16 --zero 3 --recompute full --range off "
      "--attention fused --model " +
      GetParam());
  EXPECT_EQ(report.at("model"), GetParam());
  EXPECT_GT(report.at("tokens_per_s").get<double>(), 0);
  EXPECT_GT(report.at("mfu").get<double>(), 0);
  EXPECT_LT(report.at("mfu").get<double>(), 0.8);
}

}  // namespace
}  // namespace apps_tests
