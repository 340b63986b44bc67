// SPDX-License-Identifier: Apache-2.0
// ExpertRouting: how a router spreads tokens over experts, and what follows for the ranks that hold
// them. A row is a token at one of its experts: each token has top_k rows, at different experts.
#pragma once

#include <compare>
#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace sim {

struct ExpertRouting {
  enum class Kind : std::uint8_t {
    balanced,  // each expert has the same rows, each token as many ranks as there can be
    random,    // each token chooses uniformly among the experts
    // The n-th choice of all tokens is expert n, modulo their number: each expert has the same rows, and
    // those of a token lie together (NeMo AutoModel's FakeBalancedGate).
    cyclic,
    // The popularity x of experts is drawn from a density proportional to x^-exponent, from 1 to 0.8
    // tokens: AIConfigurator's sample_power_law (ai-dynamo/aiconfigurator, collector/helper.py), whose
    // tables "power_law_1.2" have exponent 1.2. The i-th fullest of n experts has about
    // (i - 1/2 + q)^(-1 / (exponent - 1)) rows, a Zipf-Mandelbrot law. A large exponent is balanced.
    power_law,
    measured  // `shares`
  };
  Kind kind = Kind::balanced;
  double exponent = 0;              // power_law
  std::vector<double> shares = {};  // measured: each expert's share of all rows; their sum is 1
  std::string file = {};            // measured: where they are from
  // Rows of an expert at most so many times the mean; a router drops further ones. 0: no limit.
  double capacity = 0;
  auto operator<=>(const ExpertRouting&) const = default;
};

// The experts of a token lie in `chosen` of `groups` groups of as many consecutive experts: DeepSeek-V3's
// node-limited routing (arXiv 2412.19437, section 2.1.2).
struct GroupLimit {
  int groups = 1;
  int chosen = 1;
  bool operator==(const GroupLimit&) const = default;
};

// Expectations of a layer.
struct Routed {
  double busiest = 1;  // rows of the fullest rank over the mean of all ranks, without those dropped
  double dropped = 0;  // share of all rows
  double to_ranks = 1;  // ranks of the group that hold experts of a token, its own rank included
  double to_nodes = 1;  // the same of nodes; dropped rows count in both
};

// Of `tokens` of a whole group of `ranks` on `nodes`, each with as many consecutive experts.
// power_law takes the mean of 128 draws, a few milliseconds; the same ones in each call. Measured and
// drawn shares are those of these tokens: only random has fluctuations on top, by normal
// approximations.
[[nodiscard]] Routed route(const ExpertRouting& routing, int experts, int top_k, int ranks,
                           int nodes, double tokens, GroupLimit limit = {});

// Why a model with so many experts, 0 without any, cannot be routed like that: "`routing`: ...".
// Empty if it can.
[[nodiscard]] std::string problem_of(const ExpertRouting& routing, int experts, int top_k);

// "balanced", "random", "power_law:1.2", or a file's path. Throws an InputError that begins with
// `place`, or with FILE:LINE.
[[nodiscard]] ExpertRouting parse_routing(std::string_view text, std::string_view place);
[[nodiscard]] std::string to_text(const ExpertRouting& routing);
// Of the load of each expert in order, in rows or shares, separated by line breaks, commas or blanks;
// the rest of a line after # is a comment. Throws an InputError that begins with FILE or FILE:LINE.
[[nodiscard]] ExpertRouting routing_from_file(const std::filesystem::path& file);
// The same of text in memory, which messages call `file`.
[[nodiscard]] ExpertRouting routing_of_loads(std::string_view text, const std::string& file);

}  // namespace sim
