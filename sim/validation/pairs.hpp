// SPDX-License-Identifier: Apache-2.0
// Measured steps and exchanges with and without low-precision communication
// (traces/published/pairs.csv): does the prediction say which is faster, and by how much?
#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace sim::validation {

struct MeasuredPair {
  std::string id;       // "sdp4bit/a100/gpt_1.3b"
  std::string fold;     // the source
  std::string command;  // "run", "collective"; empty: nothing here predicts it
  std::string flags, without_flags, with_flags;  // both sides', and each side's
  double ratio = 1;  // time with over without: below 1 where low precision gains
  double noise = 0;  // of the ratio; one closer to 1 has no sign
  bool counts = true;
  std::string source, note;

  [[nodiscard]] bool has_sign() const;
};

// From the folder that contains traces/published. Throws InputError.
[[nodiscard]] std::vector<MeasuredPair> read_pairs(const std::filesystem::path& folder);

struct PairScores {
  int folds = 1, pairs = 0;
  double mean = 0;  // error of the ratio; of all: over folds, of their means
  double worst = 0;
  int signs = 0, right = 0;  // pairs with a sign, and those of which it is predicted
};
struct PairStudyScores {
  std::map<std::string, PairScores> by_fold;
  std::optional<PairScores> all;
};
// Of the pairs that count; `ratios` are predicted, none where nothing predicts one.
[[nodiscard]] PairStudyScores pair_scores(const std::vector<MeasuredPair>& pairs,
                                          const std::vector<std::optional<double>>& ratios);

}  // namespace sim::validation
