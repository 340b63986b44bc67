// SPDX-License-Identifier: Apache-2.0
// What a scheme's codecs lose, from the committed table.
//
// Reductions that were measured have rows of their own. Of any other, single encodes are composed
// where that holds, as tests/codecs/reductions_test.cpp checks: gradients are independent and as
// often negative as positive, and so is what one encode of each loses, so the errors of a sum's
// terms add up by their squares, relative to the sum as each is to its term. Of sums that are
// encoded again this holds where the second error is independent of the first one: of codecs that
// round, to the nearest or at random, e^2 = first^2 + second^2 (1 + first^2). It does not of sparse
// wires, whose second choice is of what the first one left, nor of signs or error feedback. A sum's
// distribution is between its terms' and the normal one: where the second encode's error would
// differ much, that of the sum is not known.
#include <algorithm>
#include <cmath>
#include <iterator>
#include <map>
#include <string>

#include "codecs/error/reductions.hpp"
#include "sim/base/json_reader.hpp"
#include "sim/program/lay_out.hpp"
#include "sim/report/sources.hpp"
#include "sim/schemes/formats.hpp"
#include "sim/workload/stages.hpp"

namespace sim {
namespace {

using codecs::Hops;

constexpr double kAlike = 1.1;  // the larger of two figures over the smaller
constexpr const char* kSum = "running_sum";

// Only of differences do errors of steps differ much from those of one encode.
std::string weight_row(const WeightExchange& weights) {
  if (weights.wire.card) return "";  // which may have the name of a codec
  if (!weights.difference && !weights.wire.is_plain()) return "";
  return codecs::weights_name(weights.difference, weights.wire.name());
}

bool rounds(const Wire& wire) {
  return wire.card ? wire.card->rounds : codecs::rounds(wire.format);
}

// The hops that gradients really take.
struct Path {
  Hops hops = Hops::gather;
  Wire first, again;
  codecs::RankShape shape;
  std::string method = {};  // that has rows of its own

  [[nodiscard]] bool on_two_levels() const { return hops == Hops::two_level; }
  [[nodiscard]] bool has_cards() const { return first.card || again.card; }
  [[nodiscard]] std::string row() const {
    return method.empty() ? codecs::reduction_name(hops, first.name(), again.name()) : method;
  }
};

// Of the exchange as it runs: on two levels, whose second takes the sums of the first; there and
// back; or once.
Hops hops_of(const std::vector<Transfer>& coded) {
  if (coded.empty()) return Hops::gather;
  const Transfer& first = coded.front();
  const Transfer& last = coded.back();
  if (last.among != first.among) return Hops::two_level;
  if (first.collective != CollectiveKind::all_to_all) return Hops::gather;
  return last.collective == CollectiveKind::all_gather ? Hops::there_and_back : Hops::all_to_all;
}

Path path_of(const StepContext& context, const Scheme& scheme) {
  const StepSizes shape(context, scheme);
  const GradientExchange& g = scheme.gradients;
  const Communication reduction =
      reduction_of(shape, 0,
                   whole_stage(context.model, context.parallelism,
                               Stages(context.model, context.parallelism), 0));
  std::vector<Transfer> coded;
  for (const Part& part : reduction.parts) {
    const auto* transfer = std::get_if<Transfer>(&part.what);
    if (transfer != nullptr && transfer->wire) coded.push_back(*transfer);
  }
  Path path{
      .hops = hops_of(coded),
      .first = coded.empty() ? g.between : *coded.front().wire,
      .again = coded.empty() ? g.between : *coded.back().wire,
      .shape = {static_cast<std::size_t>(shape.places()), static_cast<std::size_t>(shape.nodes)}};
  if (g.factor_rank > 0) path.method = "power_sgd_r" + std::to_string(g.factor_rank);
  if (g.method == &methods::one_bit_adam) path.method = g.method->name;
  return path;
}

// The first figure, where it makes no difference which of the two it is.
std::optional<double> if_alike(double one, double other) {
  const auto [less, more] = std::minmax(one, other);
  return more <= kAlike * less ? std::optional(one) : std::nullopt;
}

class Table {
 public:
  explicit Table(const JsonDocument& document) : root_(document) {}

  [[nodiscard]] bool has(const char* part, const std::string& row) const {
    return !row.empty() && root_.at(part).has(row);
  }
  [[nodiscard]] CodecErrors row(const char* part, const std::string& row) const {
    return figures(root_.at(part).at(row));
  }
  // Of one encode, by distribution.
  [[nodiscard]] CodecErrors encode(const Wire& wire) const {
    if (wire.card) return {wire.card->error.begin(), wire.card->error.end()};
    return has("codecs", wire.name()) ? row("codecs", wire.name()) : CodecErrors{};
  }
  // Of one step of a row that was measured, as far as the path's ranks are known.
  [[nodiscard]] CodecErrors reduction(const Path& path) const {
    return at_ranks(root_.at("reductions").at(path.row()), path,
                    [](const JsonReader& measured) { return figures(measured); });
  }
  // Over many steps.
  [[nodiscard]] std::optional<double> fed_reduction(const Path& path,
                                                    const std::string& row) const {
    if (!has("fed_reductions", row)) return {};
    return at_ranks(root_.at("fed_reductions").at(row), path, [](const JsonReader& measured) {
      return CodecErrors{{kSum, measured.at(kSum).not_negative()}};
    })[kSum];
  }

 private:
  static CodecErrors figures(const JsonReader& row) {
    CodecErrors errors;
    row.each_key([&](const std::string& name, const JsonReader& metrics) {
      errors[name] = metrics.at("relative_l2").not_negative();
    });
    return errors;
  }

  // Figures by the number of ranks.
  using ByRanks = std::map<std::size_t, double>;
  struct Measured {
    ByRanks all, of_such_nodes;  // the latter with as many GPUs in a node
  };

  // A row's figures for the path's ranks: as they were measured, or those of other ranks where
  // their number does not matter.
  template <typename Figures>
  static CodecErrors at_ranks(const JsonReader& row, const Path& path, Figures figures_of) {
    std::map<std::string, Measured> measured;
    row.each_key([&](const std::string& name, const JsonReader& figures) {
      const codecs::RankShape shape = codecs::shape_named(name);
      for (const auto& [distribution, error] : figures_of(figures)) {
        Measured& of = measured[distribution];
        of.all[shape.ranks()] = *error;
        if (shape.gpus == path.shape.gpus) of.of_such_nodes[shape.ranks()] = *error;
      }
    });
    CodecErrors errors;
    for (const auto& [distribution, of] : measured) errors[distribution] = estimated(of, path);
    const std::string own = codecs::shape_name(path.on_two_levels(), path.shape);
    if (!row.has(own)) return errors;
    for (const auto& [distribution, error] : figures_of(row.at(own))) errors[distribution] = error;
    return errors;
  }

  static std::optional<double> estimated(const Measured& of, const Path& path) {
    const std::size_t ranks = path.shape.ranks();
    if (!path.on_two_levels()) return near_ranks(of.all, ranks);
    // The GPUs of a node matter by themselves.
    if (of.of_such_nodes.size() > 1) return near_ranks(of.of_such_nodes, ranks);
    return all_alike(of.all) ? near_ranks(of.all, ranks) : std::nullopt;
  }

  static bool all_alike(const ByRanks& known) {
    const auto figure = [](const auto& one) { return one.second; };
    const auto [least, most] = std::ranges::minmax_element(known, {}, figure);
    return if_alike(least->second, most->second).has_value();
  }

  // That of the nearest, where those on both sides agree, or beyond the end the two that are next.
  static std::optional<double> near_ranks(const ByRanks& known, std::size_t ranks) {
    if (known.size() < 2) return {};
    auto above = known.lower_bound(ranks);
    if (above == known.end()) --above;
    if (above == known.begin()) ++above;
    const auto below = std::prev(above);
    const bool nearer_below = ranks * ranks < below->first * above->first;
    return nearer_below ? if_alike(below->second, above->second)
                        : if_alike(above->second, below->second);
  }

  JsonReader root_;
};

CodecErrors not_known() { return {{"normal", {}}, {"student_t3", {}}}; }

CodecErrors composed(const CodecErrors& first, const CodecErrors& again) {
  const auto normal = again.find("normal");
  CodecErrors both;
  for (const auto& [name, error] : first) {
    const auto other = again.find(name);
    if (other == again.end() || normal == again.end()) continue;
    const auto with = [&, once = *error](double second) {
      return std::hypot(once, second * std::hypot(1, once));
    };
    both[name] = if_alike(with(*other->second), with(*normal->second));
  }
  return both;
}

CodecErrors gradient_errors(const Table& table, const Path& path) {
  if (!path.has_cards() && table.has("reductions", path.row())) return table.reduction(path);
  if (!path.method.empty()) return not_known();
  CodecErrors errors = table.encode(path.first);
  if (codecs::encodes_again(path.hops)) {
    const bool holds = rounds(path.first) && rounds(path.again);
    errors = holds ? composed(errors, table.encode(path.again)) : CodecErrors{};
  }
  return errors.empty() ? not_known() : errors;
}

// With error feedback what counts is the sum over many steps.
std::optional<double> fed_error(const Table& table, const GradientExchange& g, const Path& path) {
  if (path.has_cards()) return {};
  if (!path.method.empty()) return table.fed_reduction(path, path.method);
  const bool loco = g.method == &methods::loco;
  if (!loco && g.residual_bytes != 4) return {};
  return table.fed_reduction(
      path, codecs::fed_name(path.row(), loco ? codecs::Carried::loco : codecs::Carried::float32));
}

// Of the weights after steps of Adam where that was measured, else of one encode.
void add_weights(const Table& table, const WeightExchange& weights, CodecErrors& errors) {
  const std::string row = weight_row(weights);
  CodecErrors found =
      table.has("weights", row) ? table.row("weights", row) : table.encode(weights.wire);
  if (found.empty()) found = not_known();
  for (const auto& [name, error] : found) errors["weights_" + name] = error;
}

}  // namespace

CodecErrors codec_errors(const JsonDocument& document, const StepContext& context,
                         const Scheme& scheme) {
  const Table table(document);
  if (holders(context.cluster, context.parallelism) < 2) return {};  // nothing travels
  const GradientExchange& g = scheme.gradients;
  CodecErrors errors;
  if (!g.is_plain()) {
    const Path path = path_of(context, scheme);
    errors = gradient_errors(table, path);
    if (g.residual_bytes > 0) errors["sum_of_256"] = fed_error(table, g, path);
  }
  if (!scheme.is_defined_for(0)) add_weights(table, scheme.weights, errors);
  return errors;
}

}  // namespace sim
