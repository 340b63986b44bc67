// SPDX-License-Identifier: Apache-2.0
// [gradients] of scheme files: which keys each collective has, and what it cannot do.
#include <fmt/format.h>

#include <algorithm>

#include "sim/schemes/scheme_keys.hpp"

namespace sim {
namespace {

constexpr IntegerRange kSlices{.lowest = 1, .highest = 1024};
constexpr IntegerRange kFactorRanks{.lowest = 1, .highest = 1024};

constexpr const char* kInside = "gradients.inside";
constexpr const char* kBetween = "gradients.between";

class GradientReader {
 public:
  GradientReader(TomlReader& reader, WireReader& wires, const Stages& zero)
      : reader_(reader), wires_(wires), zero_(zero) {}

  GradientExchange read() {
    reader_.optional_table("gradients");
    if (reader_.has("gradients.collective")) {
      exchange_.algorithm = reader_.one_of("gradients.collective", all_reductions());
      if (!reader_.is_good("gradients.collective")) return leave_the_rest();
      check_shards();
    }
    read_wires();
    read_method();
    read_residual();
    read_numbers();
    return exchange_;
  }

 private:
  [[nodiscard]] const Reduction& collective() const { return *exchange_.algorithm; }

  // What applies depends on the collective, which nobody knows.
  GradientExchange leave_the_rest() {
    for (const char* table : {"gradients", kInside, kBetween}) {
      reader_.optional_table(table);
      for (const char* key : {"codec", "group"}) {
        static_cast<void>(reader_.has(fmt::format("{}.{}", table, key)));
      }
    }
    for (const char* key : {"residual", "method", "factor_rank", "slices", "fused_hadamard"}) {
      static_cast<void>(reader_.has(fmt::format("gradients.{}", key)));
    }
    return {};
  }

  void check_shards() {
    if (collective().leaves == Reduction::Leaves::shards && has_stage(zero_, 0)) {
      reader_.wrong("gradients.collective",
                    fmt::format("{} sums shards, and ZeRO-0 has none; write all_to_all, or "
                                "zero = [1]",
                                collective().name));
    }
    const bool whole = collective().leaves == Reduction::Leaves::all;
    if (whole && !zero_.empty() && !has_stage(zero_, 0)) {
      reader_.wrong("gradients.collective",
                    fmt::format("{} leaves every rank with all gradients, but ZeRO shards them; "
                                "write all_to_all, or zero = [0]",
                                collective().name));
    }
  }

  void read_wires() {
    if (collective().has_levels()) {
      wires_.refuse("gradients",
                    "applies to collectives of one level; name codecs in [gradients.inside] and "
                    "[gradients.between]");
      exchange_.inside = read_wire(kInside);
      exchange_.between = read_wire(kBetween);
      return;
    }
    const std::string why =
        fmt::format("applies to two_level, not to {}; remove it", collective().name);
    wires_.refuse(kInside, why);
    wires_.refuse(kBetween, why);
    if (collective().sends == Reduction::Sends::buffer) {
      wires_.refuse("gradients",
                    fmt::format("does not apply to a {}, which sends the gradients uncompressed; "
                                "write another collective",
                                collective().name));
    } else if (collective().has_factors()) {
      wires_.refuse("gradients",
                    fmt::format("does not apply to {}, which sends factors in FP32; remove it",
                                collective().name));
    } else {
      exchange_.inside = exchange_.between = read_wire("gradients");
      check_sum();
    }
  }

  Wire read_wire(const char* table) {
    Wire wire = wires_.read(table);
    good_ = good_ && reader_.is_good(fmt::format("{}.codec", table));
    return wire;
  }

  void check_sum() {
    if (!good_ || !collective().sums_in_flight || exchange_.between.is_summable()) return;
    reader_.wrong("gradients.codec",
                  fmt::format("{} cannot be added up in flight, as {} does; write all_gather or "
                              "all_to_all, or random_k64_unscaled for the codec",
                              exchange_.between.name(), collective().name));
  }

  void read_method() {
    constexpr const char* kKey = "gradients.method";
    if (!reader_.has(kKey)) return;
    const ReductionMethod* method = reader_.one_of(kKey, all_methods());
    if (!reader_.is_good(kKey)) return;
    const auto is_its = [&](const Wire& wire) {
      return !wire.card && wire.name() == method->codec;
    };
    const bool fits =
        method->reduction == &collective() && is_its(exchange_.inside) && is_its(exchange_.between);
    if (good_ && !fits) {
      reader_.wrong(kKey, fmt::format("{} requires {} with {}; write these, or remove the method",
                                      method->name, method->reduction->name, method->codec));
    } else if (method->sends_momentum && !zero_.empty() && !has_stage(zero_, 0)) {
      reader_.wrong(kKey, fmt::format("{} shards nothing; write zero = [0]", method->name));
    }
    exchange_.method = method;
    exchange_.residual_bytes = method->residual_bytes;
  }

  [[nodiscard]] bool is_plain() const {
    return good_ && exchange_.inside.is_plain() && exchange_.between.is_plain();
  }

  void read_residual() {
    constexpr const char* kKey = "gradients.residual";
    if (reader_.has("gradients.method")) {
      reader_.inapplicable(kKey, "is set by the method; remove it");
    } else if (collective().has_factors()) {
      reader_.inapplicable(kKey, "is always FP32 with low_rank; remove it");
      exchange_.residual_bytes = kFactorResidual;
    } else if (is_plain()) {
      reader_.inapplicable(kKey,
                           "keeps what a codec loses, and these gradients travel uncompressed; "
                           "remove it, or name a codec");
    } else if (reader_.has(kKey)) {
      exchange_.residual_bytes = reader_.one_of<double>(kKey, kResidualNames);
    }
  }

  void read_numbers() {
    if (collective().has_factors()) {
      exchange_.factor_rank =
          static_cast<int>(reader_.integer("gradients.factor_rank", kFactorRanks));
    } else {
      reader_.inapplicable("gradients.factor_rank", "applies only to low_rank; remove it");
    }
    if (!collective().has_levels()) {
      reader_.inapplicable("gradients.slices",
                           "apply only to two_level, whose levels they overlap; remove it");
    } else if (reader_.has("gradients.slices")) {
      exchange_.slices = static_cast<int>(reader_.integer("gradients.slices", kSlices));
    }
    constexpr const char* kFused = "gradients.fused_hadamard";
    const auto transforms = [](const Wire& wire) {
      return wire.format.rotation == codecs::Rotation::hadamard;
    };
    if (good_ && !transforms(exchange_.inside) && !transforms(exchange_.between)) {
      reader_.inapplicable(kFused,
                           "applies only to codecs with \"hadamard\" in their name; remove it");
    } else if (reader_.has(kFused)) {
      exchange_.fused_hadamard = reader_.boolean(kFused);
    }
  }

  TomlReader& reader_;
  WireReader& wires_;
  const Stages& zero_;
  GradientExchange exchange_;
  bool good_ = true;  // the codecs are known
};

}  // namespace

GradientExchange read_gradients(TomlReader& reader, WireReader& wires, const Stages& zero) {
  return GradientReader(reader, wires, zero).read();
}

}  // namespace sim
