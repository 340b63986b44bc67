// SPDX-License-Identifier: Apache-2.0
// Reads the times beside a codec card.
#include "sim/times/codec_card_times.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>

#include "sim/base/csv.hpp"
#include "sim/base/error.hpp"
#include "sim/base/joined.hpp"
#include "sim/base/printable.hpp"
#include "sim/base/quantity_text.hpp"
#include "sim/times/calibration_rows.hpp"

namespace sim {
namespace {

using codecs::Operation;

constexpr std::array<std::string_view, 4> kColumns{"step", "inputs", "elements", "seconds"};
constexpr std::array<std::string_view, 3> kOptionalColumns{"from", "to", "value_bytes"};
constexpr std::array<std::string_view, 7> kSteps{
    "encode",     "encode_difference", "encode_feedback",     "decode",
    "decode_add", "decode_reduce",     "decode_reduce_encode"};
constexpr double kMostInputs = 1 << 16;
// So that rates and ratios of them are finite.
constexpr double kMostElements = 1e15;
constexpr double kShortest = 1e-9;
constexpr double kLongest = 1e6;

int read_inputs(const CsvRow& row, Operation operation) {
  const double inputs = row.number_within("inputs", 1, kMostInputs);
  const bool reduces =
      operation == Operation::decode_reduce || operation == Operation::decode_reduce_encode;
  if (inputs != std::floor(inputs) || reduces != (inputs >= 2)) {
    row.fail(fmt::format("inputs: {} takes {}, not {}", name_of(operation),
                         reduces ? "2 or more" : "1", inputs));
  }
  return static_cast<int>(inputs);
}

// The name that the wires of another codec have; empty: the card's own.
std::string read_other(const CsvRow& row, const char* column) {
  if (!row.has(column)) return {};
  constexpr std::string_view kCardEnd = ".toml";
  const std::string& name = row.text(column);
  if (name.ends_with(kCardEnd) && is_file_name(name)) {
    return name.substr(0, name.size() - kCardEnd.size());
  }
  const auto format = codecs::format_named(name);
  if (!format) {
    row.fail(
        fmt::format("{}: '{}' is not a codec; `gardenhose list codecs` lists them; a card's "
                    "file name ends in .toml",
                    column, printable(name)));
  }
  return codecs::format_name(*format);
}

CardKernel kernel_in(const CsvRow& row) {
  const std::string& step = row.text("step");
  const auto operation = codecs::operation_named(step);
  if (!operation) {
    row.fail(fmt::format("step: '{}' is not one of: {}", printable(step), joined(kSteps)));
  }
  CardKernel kernel{.operation = *operation,
                    .inputs = read_inputs(row, *operation),
                    .value_bytes = usual_value_bytes(*operation),
                    .from = read_other(row, "from"),
                    .to = read_other(row, "to")};
  const bool requantizes = *operation == Operation::decode_reduce_encode;
  for (const char* column : {"from", "to"}) {
    if (requantizes || !row.has(column)) continue;
    row.fail(fmt::format("{}: is for decode_reduce_encode alone; leave it empty", column));
  }
  if (!kernel.from.empty() && !kernel.to.empty()) {
    row.fail("to: one end is the card's own; leave from or to empty");
  }
  if (row.has("value_bytes")) {
    const double bytes = row.number("value_bytes");
    if (requantizes) row.fail("value_bytes: decode_reduce_encode has no values; leave it empty");
    if (bytes != 2 && bytes != 4) row.fail("value_bytes: is neither 2 nor 4");
    kernel.value_bytes = static_cast<int>(bytes);
  }
  return kernel;
}

// Bytes per element that the kernel reads at least.
double least_read(const CardKernel& kernel, const CodecCard& card) {
  constexpr double kValueBytes = 2;
  switch (kernel.operation) {
    case Operation::encode:
    case Operation::encode_difference:
      return card.sampled ? std::min(kValueBytes, mean_bits(card) / 8) : kValueBytes;
    case Operation::encode_feedback:
      return kValueBytes;
    default:
      return kernel.from.empty() ? kernel.inputs * mean_bits(card) / 8 : 0;
  }
}

// No kernel ends before it has read its input; a launch that nobody waited for does. And none takes a hundred
// thousand times as long, but microseconds that were written for seconds do.
void check_speed(const CsvRow& row, const CardKernel& kernel, const KernelTime& time,
                 const CodecCard& card) {
  // Caches are faster than the memory, but hold only small inputs.
  constexpr double kMostCached = 256 << 20;
  constexpr double kCachesFaster = 4;
  if (card.bits_per_element.empty() || card.memory_bandwidth <= Bandwidth()) return;
  const double bytes = time.elements * least_read(kernel, card);
  const double least_s = bytes / card.memory_bandwidth.base();
  constexpr double kMostSlow = 1e5, kStart_s = 1;
  if (time.seconds > kStart_s + kMostSlow * least_s) {
    row.fail(
        fmt::format("seconds: {:g} is impossibly long: reading the input of {:g} elements takes "
                    "{:.2g} s at the card's memory_bandwidth; are these microseconds?",
                    time.seconds, time.elements, least_s));
  }
  const bool is_short = time.seconds < (bytes > kMostCached ? least_s : least_s / kCachesFaster);
  if (!is_short) return;  // nor where a wrong size has no mean
  const bool reads_all = !card.sampled && (kernel.operation == Operation::encode ||
                                           kernel.operation == Operation::encode_difference);
  row.fail(fmt::format(
      "seconds: {:g} is impossibly short: reading the input of {:g} elements takes "
      "{:.2g} s at the card's memory_bandwidth; correct the time or the bandwidth{}",
      time.seconds, time.elements, least_s,
      reads_all ? ", or write wire.sampled = true if it reads only what it sends" : ""));
}

void add_time(const CsvRow& row, CodecCard& card) {
  const CardKernel kernel = kernel_in(row);
  const std::string key = key_of(kernel);
  const KernelTime time{.elements = row.number_within("elements", 1, kMostElements),
                        .seconds = row.number_within("seconds", kShortest, kLongest)};
  check_speed(row, kernel, time, card);
  std::vector<KernelTime>& times = card.steps[key];
  const auto place = std::ranges::lower_bound(times, time.elements, {}, &KernelTime::elements);
  if (place != times.end() && place->elements == time.elements) {
    row.fail(fmt::format("elements: another line has {} of {}; keep one of the two", time.elements,
                         key));
  }
  times.insert(place, time);
}

}  // namespace

bool is_file_name(std::string_view name) {
  return std::ranges::none_of(
      name, [](char c) { return c == '/' || std::iscntrl(static_cast<unsigned char>(c)) != 0; });
}

void add_times(std::string_view text, const std::filesystem::path& file, CodecCard& card) {
  const std::string name = printable_path(file);
  std::vector<std::string> problems;
  for (const CsvRow& row : parse_csv(text, file, kColumns, kOptionalColumns)) {
    try {
      add_time(row, card);
    } catch (const InputError& error) {
      problems.emplace_back(error.what());
    }
  }
  for (const char* step : {"encode", "decode"}) {
    if (!problems.empty() || card.steps.contains(step)) continue;
    throw InputError(
        fmt::format("{}:1:1: has no {}; add a line for each measured size", name, step));
  }
  throw_problems(name, problems);
}

}  // namespace sim
