// SPDX-License-Identifier: Apache-2.0
// Published times of rounds between sites beside their predictions (traces/published/site_rounds.csv).
// The inner step and the rate of the link are given; nothing is fitted.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace sim::validation {

enum class RoundQuantity {
  step_s,        // a round's time over its inner steps
  communication  // share of a round beyond its inner steps
};

struct PublishedRound {
  std::string row, scheme, source, note;
  RoundQuantity quantity = RoundQuantity::step_s;
  std::optional<double> published;  // none before it is compared
  // The most that a prediction may be off by, see off(); none: not scored.
  std::optional<double> bar;
  double predicted = 0;
  double sent_bytes = 0;  // by a site in a round
  // Plain arithmetic: inner steps, and the bytes over the rate of the link; and over what an
  // all_reduce was measured to reach on it, if it was. Of what overlaps, the longer.
  double arithmetic = 0;
  std::optional<double> by_all_reduce;

  // Relative, but of shares the difference.
  [[nodiscard]] double off(double value) const;
  [[nodiscard]] bool is_scored() const { return published && bar; }
  [[nodiscard]] bool within_bar() const;
};

// The rows of a study, from the folder that contains traces and topologies.
[[nodiscard]] std::vector<PublishedRound> predict_rounds(const std::filesystem::path& folder,
                                                         std::string_view study);

// Over scored rows: the mean of off(), without its sign.
struct RoundErrors {
  int rows = 0, within_bar = 0;
  double mean = 0, arithmetic_mean = 0;
};
[[nodiscard]] RoundErrors errors_of(const std::vector<PublishedRound>& rows);

}  // namespace sim::validation
