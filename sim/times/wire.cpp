// SPDX-License-Identifier: Apache-2.0
#include "sim/times/wire.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "sim/times/calibration_rows.hpp"

namespace sim {
namespace {

using codecs::Operation;

// A card's kernels are timed on the card's GPU; on another one they go with memory bandwidth.
class CardTimes {
 public:
  CardTimes(const CodecCard& card, const Gpu& gpu) : card_(card), gpu_(gpu) {}

  [[nodiscard]] bool has(const std::string& step) const { return card_.steps.contains(step); }

  // Notes the sizes of the step that was measured furthest from this one.
  [[nodiscard]] double seconds(const std::string& step, double elements) {
    MeasuredSizes sizes = sizes_of(card_.steps.at(step));
    sizes.step = step;
    if (sizes_.smallest == 0 || sizes.excess(elements) > sizes_.excess(elements)) sizes_ = sizes;
    const double seconds = interpolated(card_.steps.at(step), elements);
    return card_.gpu == gpu_.name ? seconds
                                  : seconds * (card_.memory_bandwidth / gpu_.memory_bandwidth);
  }

  // A pass of our own over `bytes`.
  [[nodiscard]] double pass(double bytes) const {
    const Bandwidth copied = gpu_.memory_bandwidth * gpu_.memory_efficiency;
    return gpu_.launch_latency.base() + bytes / copied.base();
  }

  // `lacks`: what the card has no kernel for, and what is counted instead.
  [[nodiscard]] std::string source(const std::string& lacks) const {
    std::string text = card_.gpu == gpu_.name
                           ? fmt::format("{}'s card", card_.name)
                           : fmt::format("extrapolated by memory bandwidth from {} ({}'s card)",
                                         card_.gpu, card_.name);
    return lacks.empty() ? text : text + ", which lacks " + lacks;
  }

  [[nodiscard]] const MeasuredSizes& sizes() const { return sizes_; }

  // R inputs are summed by the card's own kernel, or decoded one by one and added up.
  [[nodiscard]] double reduce(const CodecUse& use, std::string& lacks) {
    const std::string own = fmt::format("decode_reduce/{}", use.inputs);
    if (has(own)) return seconds(own, use.elements);
    lacks = fmt::format("decode_reduce of {} inputs: {} decodes and {} memory passes", use.inputs,
                        use.inputs, use.inputs - 1);
    const double decodes = use.inputs * seconds("decode", use.elements);
    return decodes + (use.inputs - 1) * pass(3.0 * use.value_bytes * use.elements);
  }

 private:
  const CodecCard& card_;
  const Gpu& gpu_;
  MeasuredSizes sizes_;
};

KernelEstimate card_time(const CodecCard& card, const Gpu& gpu, const CodecUse& use) {
  CardTimes times(card, gpu);
  const double n = use.elements;
  const double value = use.value_bytes;
  std::string lacks;
  double seconds = 0;
  switch (use.operation) {
    case Operation::encode:
      seconds = times.seconds("encode", n);
      break;
    case Operation::encode_difference:
      // New and old values read, the difference written.
      lacks = "encode of differences: an encode and a memory pass";
      seconds = times.pass((value + 2 + 2) * n) + times.seconds("encode", n);
      break;
    case Operation::encode_feedback:
      // The sum, then what a decode of the wire leaves of it.
      lacks = "encode with error feedback: an encode, a decode and two memory passes";
      seconds = times.pass((value + 2 * use.residual_bytes) * n) + times.seconds("encode", n) +
                times.seconds("decode", n) + times.pass((value + 2 * use.residual_bytes) * n);
      break;
    case Operation::decode:
      seconds = times.seconds("decode", n);
      break;
    case Operation::decode_add:
      lacks = "decode and add: a decode and a memory pass";
      seconds = times.seconds("decode", n) + times.pass(3 * value * n);
      break;
    case Operation::decode_reduce:
    case Operation::decode_reduce_encode:
      seconds = times.reduce(use, lacks);
      break;
  }
  const bool sums =
      use.operation == Operation::decode_reduce || use.operation == Operation::decode_reduce_encode;
  return {seconds, times.source(lacks), times.sizes(), sums ? lacks : ""};
}

KernelUse kernel_of(const CodecUse& use) {
  return {{.operation = use.operation,
           .wire = use.wire.format,
           .wire_out = use.wire_out.format,
           .inputs = use.inputs,
           .value_bytes = use.value_bytes,
           .residual_bytes = use.residual_bytes},
          use.elements};
}

// A sum that is encoded again where one of the wires has a card: two kernels.
KernelEstimate reencode_time(const Calibration& calibration, const Gpu& gpu, const CodecUse& use) {
  CodecUse reduce = use;
  reduce.operation = Operation::decode_reduce;
  const CodecUse encode{.operation = Operation::encode,
                        .wire = use.wire_out,
                        .value_bytes = use.value_bytes,
                        .elements = use.elements};
  const KernelEstimate first = codec_time(calibration, gpu, reduce);
  const KernelEstimate second = codec_time(calibration, gpu, encode);
  const double n = use.elements;
  return {first.seconds + second.seconds, fmt::format("{}; {}", first.source, second.source),
          first.sizes.excess(n) >= second.sizes.excess(n) ? first.sizes : second.sizes,
          first.substituted};
}

}  // namespace

bool Wire::is_plain() const {
  using codecs::Element;
  const codecs::Format unchanged{.element = format.element};
  return !card && format == unchanged &&
         (format.element == Element::fp32 || format.element == Element::fp16 ||
          format.element == Element::bf16);
}

bool Wire::is_summable() const {
  return card ? card->summable : is_plain() || format.layout->summable;
}

std::string Wire::name() const { return card ? card->name : codecs::format_name(format); }

double Wire::bytes_per_element() const {
  return card ? mean_bits(*card) / 8 : codecs::encoded_bytes_per_element(format);
}

double Wire::bytes(double elements, double parts) const {
  const double whole = std::ceil(elements);
  if (card) {
    if (whole <= 0) return 0;
    return static_cast<double>(card->overhead.count) +
           std::ceil(whole * largest_bits(*card, parts) / 8);
  }
  return static_cast<double>(codecs::encoded_bytes(format, static_cast<std::size_t>(whole)));
}

std::string CodecUse::label() const {
  return step != nullptr ? std::string(step->method) : wire.name();
}

KernelEstimate codec_time(const Calibration& calibration, const Gpu& gpu, const CodecUse& use) {
  if (use.step != nullptr) return step_time(calibration, gpu, *use.step, use.shape);
  if (use.elements <= 0) return {};
  const bool requantizes = use.operation == Operation::decode_reduce_encode;
  if (requantizes && (use.wire.card || use.wire_out.card)) {
    return reencode_time(calibration, gpu, use);
  }
  if (use.wire.card) return slowed(card_time(*use.wire.card, gpu, use), calibration);
  return kernel_time(calibration, gpu, kernel_of(use));
}

}  // namespace sim
