// SPDX-License-Identifier: Apache-2.0
// Small sweeps for tests, and what is in their stores.
#pragma once

#include <gtest/gtest.h>
#include <sqlite3.h>

#include <string>
#include <string_view>
#include <vector>

#include "tests/apps/refusals.hpp"

namespace apps_tests {

// 8 points: 4 of gpt_125m, 4 of gpt_2.7b.
inline constexpr std::string_view kSmallSweep = R"([run]
topology = "sdp4bit_a100"
[grid]
model = ["gpt_125m", "gpt_2.7b"]
scheme = ["sharded", "sdp4bit"]
nodes = [1, 2]
)";

// 4 points.
inline constexpr std::string_view kTinySweep = R"([run]
topology = "sdp4bit_a100"
model = "gpt_125m"
[grid]
scheme = ["sharded", "sdp4bit"]
nodes = [1, 2]
)";

// Points that take long enough to be met while they run: no micro-batch is left out.
inline constexpr std::string_view kLongSweep = R"([run]
topology = "sdp4bit_a100"
model = "gpt_125m"
nodes = 1
whole = true
[grid]
accumulation = [400, 401, 402]
)";

inline Outcome sweep_in(const Sandbox& sandbox, std::string_view flags = "") {
  return run(words("sweep s.toml -j 2 " + std::string(flags)), sandbox.path());
}

inline std::string exported(const Sandbox& sandbox, std::string_view store = "s.sqlite",
                            std::string_view format = "jsonl") {
  const Outcome outcome = run(
      words("export " + std::string(store) + " --format " + std::string(format)), sandbox.path());
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  return outcome.out;
}

// The rows of a query, their columns joined by '|'; null is empty.
inline std::vector<std::string> query(const Sandbox& sandbox, const std::string& sql,
                                      std::string_view store = "s.sqlite") {
  sqlite3* handle = nullptr;
  EXPECT_EQ(sqlite3_open((sandbox.path() / store).c_str(), &handle), SQLITE_OK);
  std::vector<std::string> rows;
  const auto add = [](void* into, int count, char** values, char**) {
    std::string row;
    for (int i = 0; i < count; ++i) {
      row += std::string(i == 0 ? "" : "|") + (values[i] == nullptr ? "" : values[i]);
    }
    static_cast<std::vector<std::string>*>(into)->push_back(row);
    return 0;
  };
  EXPECT_EQ(sqlite3_exec(handle, sql.c_str(), add, &rows, nullptr), SQLITE_OK)
      << sqlite3_errmsg(handle);
  sqlite3_close(handle);
  return rows;
}

}  // namespace apps_tests
