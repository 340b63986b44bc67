// SPDX-License-Identifier: Apache-2.0
#include "sim/times/wire.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <vector>

#include "sim/base/error.hpp"
#include "sim/times/calibration_rows.hpp"
#include "sim/times/extrapolation.hpp"

namespace sim {
namespace {

using codecs::Operation;

using CardRow = std::map<std::string, std::vector<KernelTime>>::value_type;

// A card's times of a kernel, of values of the other size if it has none of the one that is asked for.
struct FoundRow {
  const CardRow* row = nullptr;  // null: none
  int value_bytes = 0;
};

FoundRow row_of(const CodecCard& card, CardKernel kernel) {
  for (const int value_bytes : {kernel.value_bytes, other_value_bytes(kernel.value_bytes)}) {
    kernel.value_bytes = value_bytes;
    const auto found = card.steps.find(key_of(kernel));
    if (found != card.steps.end()) return {&*found, value_bytes};
  }
  return {};
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

// Per element, of a kernel of which a wire has a card. They are linear in the bytes of each wire, so
// those of two plain formats give those of a card's, which stands in the use as FP32.
double bytes_moved_by(const CodecUse& use) {
  const codecs::KernelShape plain = kernel_of(use).shape;
  const auto more = [&](const Wire& wire, codecs::Format codecs::KernelShape::*side) {
    if (!wire.card) return 0.0;
    codecs::KernelShape narrow = plain;
    narrow.*side = {.element = codecs::Element::bf16};
    const double wide_bytes = codecs::encoded_bytes_per_element(plain.*side);
    const double difference = wide_bytes - codecs::encoded_bytes_per_element(narrow.*side);
    return (moved_bytes(plain) - moved_bytes(narrow)) * (wire.bytes_per_element() - wide_bytes) /
           difference;
  };
  return moved_bytes(plain) + more(use.wire, &codecs::KernelShape::wire) +
         more(use.wire_out, &codecs::KernelShape::wire_out);
}

bool requantizes(const CodecUse& use) { return use.operation == Operation::decode_reduce_encode; }

// What the card's times call a kernel that reads or writes its wires.
CardKernel named_by(const CodecCard& card, const CodecUse& use) {
  CardKernel kernel{
      .operation = use.operation, .inputs = use.inputs, .value_bytes = use.value_bytes};
  if (!requantizes(use) || use.wire == use.wire_out) return kernel;
  const bool reads = use.wire.card.get() == &card;
  (reads ? kernel.to : kernel.from) = (reads ? use.wire_out : use.wire).name();
  return kernel;
}

// Launches one after the other. A card's kernels are timed on the card's GPU; on another one what they
// take beyond a fixed time goes with memory bandwidth.
class CardLaunches {
 public:
  CardLaunches(const CodecCard& card, const Calibration& calibration, const Gpu& gpu,
               double elements)
      : card_(card), calibration_(calibration), gpu_(gpu), elements_(elements) {}

  // A kernel that the card has a row of, if of values of the other size. Notes the sizes of the step that
  // was measured furthest from this one.
  void add(const CodecUse& kernel, double count = 1) {
    const FoundRow found = row_of(card_, named_by(card_, kernel));
    CodecUse timed = kernel;
    timed.value_bytes = found.value_bytes;
    const double timed_bytes = bytes_moved_by(timed);
    std::vector<KernelTime> times = found.row->second;
    for (KernelTime& one : times) one.moved_bytes = timed_bytes * one.elements;
    MeasuredSizes sizes = sizes_of(times);
    sizes.step = found.row->first;
    if (sizes_.smallest == 0 || sizes.excess(elements_) > sizes_.excess(elements_)) sizes_ = sizes;
    // However few of the elements that were timed: a launch.
    const double least_s =
        std::min(times.front().seconds, seconds_of_bytes(gpu_, gpu_.memory_bandwidth, 0));
    const double ratio = gpu_.memory_bandwidth / card_.memory_bandwidth;
    const double fewer = timed_bytes / bytes_moved_by(kernel);
    const double seconds =
        is_on_its_gpu()
            ? timed_seconds(times, elements_, card_.memory_bandwidth, ratio * fewer)
            : carried_over(times, elements_, card_.memory_bandwidth, {ratio * fewer, ratio});
    seconds_ += count * std::max(least_s, seconds);
    fixed_s_ += count * std::max(least_s, fixed_seconds(times));
  }

  // Passes of our own over so many bytes per element.
  void add_pass(double bytes, double count = 1) {
    const KernelEstimate pass = time_of_bytes(calibration_, gpu_, bytes * elements_);
    seconds_ += count * pass.seconds;
    fixed_s_ += count * pass.fixed_s;
  }

  // `lacks`: the kernel that the card does not have, and what is counted instead.
  [[nodiscard]] KernelEstimate estimate(const std::string& lacks = {}) const {
    std::string source = is_on_its_gpu()
                             ? fmt::format("{}'s card", card_.name)
                             : fmt::format("extrapolated by memory bandwidth from {} ({}'s card)",
                                           card_.gpu, card_.name);
    if (!lacks.empty()) source += ", which lacks " + lacks;
    return {seconds_, source, sizes_, fixed_s_, lacks};
  }

 private:
  [[nodiscard]] bool is_on_its_gpu() const { return card_.gpu == gpu_.name; }

  const CodecCard& card_;
  const Calibration& calibration_;
  const Gpu& gpu_;
  double elements_;
  double seconds_ = 0;
  double fixed_s_ = 0;
  MeasuredSizes sizes_;
};

// "encode of 2-byte values: times of 4-byte values".
std::string other_values_text(const CardKernel& lacked) {
  const bool sums = lacked.operation == Operation::decode_reduce;
  return fmt::format("{}{} of {}-byte values: times of {}-byte values", name_of(lacked.operation),
                     sums ? fmt::format(" of {} inputs", lacked.inputs) : "", lacked.value_bytes,
                     other_value_bytes(lacked.value_bytes));
}

// By a card's own times of the kernel, if it has any.
std::optional<KernelEstimate> own_time(const Calibration& calibration, const Gpu& gpu,
                                       const CodecUse& use) {
  for (const CodecCard* card : {use.wire.card.get(), use.wire_out.card.get()}) {
    if (card == nullptr) continue;
    const CardKernel kernel = named_by(*card, use);
    const FoundRow found = row_of(*card, kernel);
    if (found.row == nullptr) continue;
    CardLaunches launches(*card, calibration, gpu, use.elements);
    launches.add(use);
    const bool exact = found.value_bytes == kernel.value_bytes;
    return launches.estimate(exact ? "" : other_values_text(kernel));
  }
  return std::nullopt;
}

// Wires that are decoded one by one, and added up: "4 decodes and 3 memory passes".
std::string decodes_and_passes(int inputs, std::string_view between) {
  return fmt::format("{} decodes{}{} memory {}", inputs, between, inputs - 1,
                     inputs == 2 ? "pass" : "passes");
}

// Of a kernel that the card has no times of.
KernelEstimate composed_time(const CodecCard& card, const Calibration& calibration, const Gpu& gpu,
                             const CodecUse& use) {
  CardLaunches launches(card, calibration, gpu, use.elements);
  const auto add = [&](Operation operation, int value_bytes, double count = 1) {
    launches.add({.operation = operation,
                  .wire = use.wire,
                  .value_bytes = value_bytes,
                  .elements = use.elements},
                 count);
  };
  const double value = use.value_bytes;
  switch (use.operation) {
    case Operation::encode_difference:
      // New and old values read, the difference written.
      launches.add_pass(value + 2 + 2);
      add(Operation::encode, 2);
      return launches.estimate("encode_difference: an encode and a memory pass");
    case Operation::encode_feedback:
    case Operation::decode_add: {
      const codecs::Composition parts = codecs::composed(kernel_of(use).shape);
      for (const codecs::KernelShape& kernel : parts.kernels) {
        add(kernel.operation, kernel.value_bytes);
      }
      for (const codecs::Traffic& pass : parts.passes) launches.add_pass(pass.read + pass.written);
      return launches.estimate(use.operation == Operation::decode_add
                                   ? "decode_add: a decode and a memory pass"
                                   : "encode_feedback: an encode, a decode and 2 memory passes");
    }
    case Operation::decode_reduce:
      add(Operation::decode, use.value_bytes, use.inputs);
      launches.add_pass(3 * value, use.inputs - 1);
      return launches.estimate(fmt::format("decode_reduce of {} inputs: {}", use.inputs,
                                           decodes_and_passes(use.inputs, " and ")));
    case Operation::encode:
    case Operation::decode:
    case Operation::decode_reduce_encode:
      break;  // every card has these; and see reencode_time()
  }
  require(false, "a kernel that is not composed of others");
  return {};
}

// A sum that is encoded again where one of the wires has a card: two kernels.
KernelEstimate reencode_time(const Calibration& calibration, const Gpu& gpu, const CodecUse& use) {
  CodecUse reduce = use;
  reduce.operation = Operation::decode_reduce;
  reduce.wire_out = {};
  const CodecUse encode{.operation = Operation::encode,
                        .wire = use.wire_out,
                        .value_bytes = use.value_bytes,
                        .elements = use.elements};
  const KernelEstimate first = codec_time(calibration, gpu, reduce);
  const KernelEstimate second = codec_time(calibration, gpu, encode);
  const double n = use.elements;
  const CodecCard& card = use.wire.card ? *use.wire.card : *use.wire_out.card;
  const CardKernel kernel = named_by(card, use);
  const bool composed = use.wire.card && use.wire.card->has_times() &&
                        row_of(*use.wire.card, named_by(*use.wire.card, reduce)).row == nullptr;
  return {first.seconds + second.seconds, fmt::format("{}; {}", first.source, second.source),
          first.sizes.excess(n) >= second.sizes.excess(n) ? first.sizes : second.sizes,
          first.fixed_s + second.fixed_s,
          fmt::format("decode_reduce_encode of {} inputs{}{}: {} and an encode", use.inputs,
                      kernel.from.empty() ? "" : " from " + kernel.from,
                      kernel.to.empty() ? "" : " to " + kernel.to,
                      composed ? decodes_and_passes(use.inputs, ", ") : "a decode_reduce")};
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
  if (!use.wire.card && !use.wire_out.card) return kernel_time(calibration, gpu, kernel_of(use));
  if (const auto own = own_time(calibration, gpu, use)) return slowed(*own, calibration);
  const auto has_times = [](const Wire& wire) { return wire.card && wire.card->has_times(); };
  if (!has_times(use.wire) && !has_times(use.wire_out)) {
    return slowed(time_of_bytes(calibration, gpu, bytes_moved_by(use) * use.elements, use.inputs),
                  calibration);
  }
  if (requantizes(use)) return reencode_time(calibration, gpu, use);
  return slowed(composed_time(*use.wire.card, calibration, gpu, use), calibration);
}

}  // namespace sim
