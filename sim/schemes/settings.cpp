#include <fmt/format.h>

#include <array>
#include <charconv>

#include "sim/base/error.hpp"
#include "sim/schemes/scheme.hpp"

namespace sim {
namespace {

[[noreturn]] void fail(const Setting& setting, std::string_view what) {
  throw InputError(fmt::format("--set {}: {}", setting.key, what));
}

int positive_integer(const Setting& setting, int lowest, int highest) {
  int value = 0;
  const char* end = setting.value.data() + setting.value.size();
  const auto [stop, error] = std::from_chars(setting.value.data(), end, value);
  if (error != std::errc() || stop != end || value < lowest || value > highest) {
    fail(setting,
         fmt::format("'{}' is not a whole number from {} to {}", setting.value, lowest, highest));
  }
  return value;
}

void set_group(const Setting& setting, const Scheme& scheme, codecs::Format& format) {
  if (format.group <= 1) fail(setting, fmt::format("{} has no such groups", scheme.name));
  const int group = positive_integer(setting, 32, 1 << 20);
  if (group % 32 != 0) fail(setting, fmt::format("{} is not a multiple of 32", group));
  format.group = static_cast<std::size_t>(group);
}

void apply(const Setting& setting, Scheme& scheme) {
  GradientExchange& gradients = scheme.gradients;
  const bool two_level = gradients.algorithm == GradientExchange::Algorithm::two_level;
  if (setting.key == "scheme.weight_group") {
    set_group(setting, scheme, scheme.weights.wire);
  } else if (setting.key == "scheme.intra_group") {
    set_group(setting, scheme, gradients.inside);
  } else if (setting.key == "scheme.inter_group") {
    set_group(setting, scheme, gradients.between);
  } else if (setting.key == "scheme.slices") {
    if (!two_level)
      fail(setting,
           fmt::format(
               "{} has no second level; name it with --baseline instead of among the schemes",
               scheme.name));
    gradients.slices = positive_integer(setting, 1, 1024);
  } else if (setting.key == "scheme.fused_hadamard") {
    if (gradients.inside.rotation != codecs::Rotation::hadamard) {
      fail(setting, fmt::format("{} has no Hadamard transform", scheme.name));
    }
    if (setting.value != "true" && setting.value != "false") {
      fail(setting, fmt::format("'{}' is neither true nor false", setting.value));
    }
    gradients.fused_hadamard = setting.value == "true";
  } else {
    fail(setting,
         "unknown key; known: scheme.weight_group, scheme.intra_group, scheme.inter_group, "
         "scheme.slices, scheme.fused_hadamard");
  }
}

}  // namespace

Scheme with_settings(Scheme scheme, std::span<const Setting> settings) {
  for (const Setting& setting : settings) apply(setting, scheme);
  return scheme;
}

double Scheme::buffer_bytes_per_parameter() const {
  double bytes = 0;
  // Both wires, sent and received. The plain gather and reduction work in place.
  if (weights.difference) bytes += codecs::encoded_bytes_per_element(weights.wire);
  if (gradients.algorithm != GradientExchange::Algorithm::ring) {
    bytes += 2 * codecs::encoded_bytes_per_element(gradients.inside);
  }
  return bytes;
}

}  // namespace sim
