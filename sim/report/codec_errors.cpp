// What a scheme's codecs lose, from the committed table.
#include <cmath>
#include <string>

#include "sim/base/json_reader.hpp"
#include "sim/report/sources.hpp"
#include "sim/schemes/formats.hpp"

namespace sim {
namespace {

using Algorithm = GradientExchange::Algorithm;
using Errors = std::map<std::string, double>;

// Rows of the error table for whole two-level reductions, by the codecs of the levels.
struct Reduction {
  const char* inside;
  const char* between;
  const char* row;
};
constexpr Reduction kReductions[] = {
    {"int8_g128_sr", "int4_g128_sr", "TLq"},
    {"int8_g128_hadamard_sr", "int4_g128_hadamard_sr", "TLq-HS"},
    {"int4_g128_sr", "int4_g128_sr", "ULq"},
    {"int4_g128_hadamard_sr", "int4_g128_hadamard_sr", "ULq-HS"},
    {"int4_full_g2048", "int4_full_g2048", "ZeRO++_g2048"},
    {"int4_full_g128", "int4_full_g128", "ZeRO++_g128"},
};

// A card may have the name of a codec.
bool is_codec(const Wire& wire, const char* name) { return !wire.card && wire.name() == name; }

// The row that the reduction has, or nothing.
std::string reduction_row(const GradientExchange& g) {
  if (g.residual_bytes > 0) return "";
  for (const Reduction& known : kReductions) {
    if (is_codec(g.inside, known.inside) && is_codec(g.between, known.between)) return known.row;
  }
  return "";
}

std::string weight_row(const WeightExchange& weights) {
  if (is_codec(weights.wire, "bf16")) return "bf16";
  return weights.difference && is_codec(weights.wire, "int4_g2048_sr") ? "qWD" : "";
}

// The row of a method that is measured as a whole.
std::string all_reduce_row(const GradientExchange& g) {
  if (g.algorithm == Algorithm::low_rank) return "power_sgd_r" + std::to_string(g.factor_rank);
  return g.method;
}

class Table {
 public:
  explicit Table(const std::filesystem::path& file) : document_(read_json(file)) {}

  [[nodiscard]] bool has(const char* part, const std::string& row) const {
    return !row.empty() && root_.at(part).has(row);
  }
  [[nodiscard]] Errors row(const char* part, const std::string& row, const char* figure) const {
    Errors errors;
    root_.at(part).at(row).each_key([&](const std::string& name, const JsonReader& figures) {
      if (figures.has(figure)) errors[name] = figures.at(figure).not_negative();
    });
    return errors;
  }
  // Of one encode, by distribution.
  [[nodiscard]] Errors encode(const Wire& wire) const {
    if (wire.card) return wire.card->error;
    return has("codecs", wire.name()) ? row("codecs", wire.name(), "relative_l2") : Errors{};
  }

 private:
  JsonDocument document_;
  JsonReader root_{document_};
};

// Independent errors of two hops, each relative to what it encodes: the square root of the sum of
// their squares.
Errors of_two_hops(const Errors& first, const Errors& second) {
  Errors both;
  for (const auto& [name, error] : first) {
    const auto other = second.find(name);
    if (other != second.end()) both[name] = std::hypot(error, other->second);
  }
  return both;
}

Errors gradient_errors(const Table& table, const GradientExchange& g, bool sharded) {
  const std::string reduction = reduction_row(g);
  switch (g.algorithm) {
    case Algorithm::ring:
      return {};
    case Algorithm::low_rank:
      return table.has("all_reduces", all_reduce_row(g))
                 ? Errors{{"normal",
                           table.row("all_reduces", all_reduce_row(g), "first_step").at("normal")}}
                 : Errors{};
    case Algorithm::two_level:
      return table.has("reductions", reduction)
                 ? table.row("reductions", reduction, "relative_l2")
                 : of_two_hops(table.encode(g.inside), table.encode(g.between));
    case Algorithm::all_to_all:
      if (g.between.is_plain()) return {};
      return sharded ? table.encode(g.between)
                     : of_two_hops(table.encode(g.between), table.encode(g.between));
    case Algorithm::all_gather:
    case Algorithm::all_reduce:
      return table.encode(g.between);
  }
  return {};
}

// With error feedback what counts is the sum over many steps.
void add_feedback(const Table& table, const GradientExchange& g, Errors& errors) {
  if (g.residual_bytes <= 0) return;
  const std::string method = all_reduce_row(g);
  if (table.has("all_reduces", method)) {
    errors["sum_of_256"] = table.row("all_reduces", method, "running_sum").at("normal");
  } else if (table.has("feedback", g.between.name())) {
    errors["sum_of_256"] = table.row("feedback", g.between.name(), "running_sum").at("ef_sgd");
  }
}

// Of the weights after steps of Adam where that was measured, else of one encode.
void add_weights(const Table& table, const WeightExchange& weights, Errors& errors) {
  const std::string row = weight_row(weights);
  const Errors found = table.has("weights", row) ? table.row("weights", row, "relative_l2")
                                                 : table.encode(weights.wire);
  for (const auto& [name, error] : found) errors["weights_" + name] = error;
}

}  // namespace

Errors codec_errors(const std::filesystem::path& file, const Scheme& scheme) {
  const Table table(file);
  Errors errors = gradient_errors(table, scheme.gradients, !scheme.is_defined_for(0));
  add_feedback(table, scheme.gradients, errors);
  if (!scheme.is_defined_for(0)) add_weights(table, scheme.weights, errors);
  return errors;
}

}  // namespace sim
