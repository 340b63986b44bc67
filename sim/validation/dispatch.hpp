// SPDX-License-Identifier: Apache-2.0
// Measured dispatch and combine of tokens between experts (traces/published/expert_exchanges.csv) beside
// simulated ones, and beside a latency and a bandwidth for each table.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "sim/base/names.hpp"
#include "sim/collectives/algorithm.hpp"
#include "sim/validation/study.hpp"

namespace sim::validation {

enum class ExchangeRole { fit, counted, shown, pair };
inline constexpr EnumName<ExchangeRole> kExchangeRoles[]{{"fit", ExchangeRole::fit},
                                                         {"counted", ExchangeRole::counted},
                                                         {"shown", ExchangeRole::shown},
                                                         {"pair", ExchangeRole::pair}};

// A line of the table, whose comment explains the columns.
struct ExchangeRow {
  std::string table;
  const CollectiveAlgorithm* algorithm = nullptr;
  std::string cluster;
  int nodes = 1, gpus = 1;  // of each node
  std::string operation;    // "dispatch", "combine"
  std::string type;         // "bf16", "fp8", "nvfp4"
  double tokens = 0;
  int multiprocessors = 0;  // 0: the library's default
  Spread spread;
  double measured_s = 0;
  ExchangeRole role = ExchangeRole::counted;
  double simulated_s = 0;
  double by_bytes_s = 0;  // by the null model; 0: no row gives its table a law

  [[nodiscard]] int ranks() const { return nodes * gpus; }
  [[nodiscard]] Order order() const;
  // What a rank sends to others: over the network if there are several nodes.
  [[nodiscard]] double sent_bytes() const;
};
using ExchangeTime = double ExchangeRow::*;

// From the folder that contains traces/published. Throws InputError.
[[nodiscard]] std::vector<ExchangeRow> read_exchanges(const std::filesystem::path& folder);
// One tick a row. The null model is a latency and a bandwidth for each table and operation, on one node
// and on several, fitted to the rows with the role `fit`.
void predict_exchanges(const std::filesystem::path& folder, std::vector<ExchangeRow>& rows,
                       int jobs, const Tick& tick);

// Relative errors of times, or of ratios of times.
struct ExchangeErrors {
  int count = 0;
  double mean = 0, rms = 0;  // of absolute values
  double bias = 0;           // mean with sign: above 0 if predictions are too slow
  void add(double predicted, double measured);
};
struct ExchangeGroup {
  std::string table, operation;
  int ranks = 0;
  ExchangeRole role = ExchangeRole::counted;
  ExchangeErrors simulated, by_bytes;
};
// By table, ranks, operation and role, in order of the rows; without those of pairs alone.
[[nodiscard]] std::vector<ExchangeGroup> exchange_groups(const std::vector<ExchangeRow>& rows);

// FP8 over BF16 dispatch of otherwise equal rows: the ratio of their times.
struct TypePair {
  const ExchangeRow* bf16 = nullptr;
  const ExchangeRow* fp8 = nullptr;

  [[nodiscard]] double ratio(ExchangeTime time) const { return fp8->*time / (bf16->*time); }
  // Of the bytes of rows.
  [[nodiscard]] double ratio_of_bytes() const {
    return fp8->spread.row_bytes / bf16->spread.row_bytes;
  }
  [[nodiscard]] bool used_in_fit() const { return bf16->role == ExchangeRole::fit; }
};
// Of the rows, which must outlive them.
[[nodiscard]] std::vector<TypePair> type_pairs(const std::vector<ExchangeRow>& rows);

struct PairGroup {
  std::string table;
  int faster = 0, measured_faster = 0;  // with FP8
  ExchangeErrors simulated, by_bytes;
};
// By table, and of all tables but `rack` as "libraries"; without those to which a constant was fitted,
// of `rack` with them, as FP8 and BF16 share all of its constants.
[[nodiscard]] std::vector<PairGroup> pair_groups(const std::vector<TypePair>& pairs);

}  // namespace sim::validation
