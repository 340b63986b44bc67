#include <fmt/format.h>

#include "sim/schemes/scheme.hpp"

namespace sim {
namespace {

void set_group(const Setting& setting, const Scheme& scheme, codecs::Format& format) {
  if (format.group <= 1) refuse(setting, fmt::format("{} has no such groups", scheme.name));
  format.group = multiple_of_32(setting);
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
      refuse(setting,
             fmt::format(
                 "{} has no second level; name it with --baseline instead of among the schemes",
                 scheme.name));
    gradients.slices = whole_number(setting, 1, 1024);
  } else if (setting.key == "scheme.fused_hadamard") {
    if (gradients.inside.rotation != codecs::Rotation::hadamard) {
      refuse(setting, fmt::format("{} has no Hadamard transform", scheme.name));
    }
    if (setting.value != "true" && setting.value != "false") {
      refuse(setting, fmt::format("'{}' is neither true nor false", setting.value));
    }
    gradients.fused_hadamard = setting.value == "true";
  } else {
    refuse(setting,
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
