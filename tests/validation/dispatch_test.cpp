// SPDX-License-Identifier: Apache-2.0
// Measured exchanges between experts: what their rows say, and what predictions of them are worth.
#include "sim/validation/dispatch.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <string>

#include "sim/base/error.hpp"
#include "tests/shipped_files.hpp"

namespace sim::validation {
namespace {

const std::vector<ExchangeRow>& predicted_rows() {
  static const std::vector<ExchangeRow> rows = [] {
    std::vector<ExchangeRow> all = read_exchanges(source_directory());
    predict_exchanges(source_directory(), all, 1, [] {});
    return all;
  }();
  return rows;
}

// Of rows to which nothing was fitted.
ExchangeGroup group_of(const std::string& table, const std::string& operation, int ranks) {
  for (const ExchangeGroup& group : exchange_groups(predicted_rows())) {
    if (group.table == table && group.operation == operation && group.ranks == ranks &&
        group.role == ExchangeRole::counted) {
      return group;
    }
  }
  ADD_FAILURE() << "no " << operation << " of " << table << " on " << ranks << " GPUs";
  return {};
}

PairGroup pairs_of(const std::string& table) {
  for (const PairGroup& group : pair_groups(type_pairs(predicted_rows()))) {
    if (group.table == table) return group;
  }
  ADD_FAILURE() << "no pairs of " << table;
  return {};
}

TEST(Dispatch, SendsWhatArithmeticSays) {
  for (const ExchangeRow& row : read_exchanges(source_directory())) {
    const double others = (row.nodes - 1.0) / row.nodes;
    const double k = 8, row_bytes = row.spread.row_bytes;
    if (row.table == "rack") {
      const double n = row.gpus;
      EXPECT_NEAR(row.sent_bytes() / (row.tokens * std::min(k, n) * (n - 1) / n * row_bytes), 1,
                  1e-12);
    } else if (row.table == "low-latency" && row.nodes > 1) {
      EXPECT_NEAR(row.sent_bytes() / (row.tokens * k * others * row_bytes), 1, 1e-12);
    } else if (row.nodes > 1) {
      // Drawn one after the other, experts leave out a node with about (1 - 1 / nodes)^k; no expert
      // is drawn twice.
      const double nodes = row.nodes * (1 - std::pow(1 - 1.0 / row.nodes, k));
      EXPECT_NEAR(row.sent_bytes() / (row.tokens * nodes * others * row_bytes), 1, 0.02);
    }
  }
}

TEST(Dispatch, IsPredictedOnOtherGroupsOfARackThanItWasFittedTo) {
  for (const int ranks : {2, 4, 16, 32, 64}) {
    const ExchangeGroup group = group_of("rack", "dispatch", ranks);
    const bool far = ranks < 8 || ranks > 32;
    EXPECT_LT(group.simulated.mean, (far ? 0.75 : 1) * group.by_bytes.mean) << ranks;
  }
}

TEST(Dispatch, IsPredictedOnMoreNodesThanItWasFittedTo) {
  EXPECT_LT(group_of("normal", "dispatch", 32).simulated.mean, 0.12);
  EXPECT_LT(group_of("normal", "combine", 32).simulated.mean, 0.25);
  for (const int ranks : {32, 64}) {
    for (const char* operation : {"dispatch", "combine"}) {
      const ExchangeGroup group = group_of("low-latency", operation, ranks);
      EXPECT_LT(group.simulated.mean, group.by_bytes.mean + 0.01) << operation << ranks;
    }
  }
}

TEST(Dispatch, GainsFromFp8WhatWasMeasured) {
  const PairGroup rack = pairs_of("rack");
  EXPECT_EQ(rack.simulated.count, 84);
  EXPECT_EQ(rack.faster, 84);
  EXPECT_LT(rack.simulated.mean, 0.08);
  const PairGroup libraries = pairs_of("libraries");
  EXPECT_LT(libraries.simulated.mean, 0.08);
  EXPECT_LT(libraries.simulated.mean, libraries.by_bytes.mean);
}

TEST(ExchangeErrors, AreOfRatios) {
  ExchangeErrors errors;
  errors.add(1.1, 1);
  errors.add(0.7, 1);
  EXPECT_NEAR(errors.mean, 0.2, 1e-12);
  EXPECT_NEAR(errors.bias, -0.1, 1e-12);
  EXPECT_NEAR(errors.rms, std::sqrt((0.01 + 0.09) / 2), 1e-12);
}

}  // namespace
}  // namespace sim::validation
