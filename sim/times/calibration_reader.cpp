// SPDX-License-Identifier: Apache-2.0
// Reads and checks calibration tables.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <span>
#include <stdexcept>

#include "sim/base/error.hpp"
#include "sim/base/joined.hpp"
#include "sim/base/json_reader.hpp"
#include "sim/base/names.hpp"
#include "sim/times/calibration.hpp"
#include "sim/times/calibration_rows.hpp"

namespace sim {
namespace {

using codecs::Operation;

// Times and rates that no device has are mistakes of unit; extreme ones would overflow in ratios.
double read_seconds(const JsonReader& place) {
  const double seconds = place.positive();
  if (seconds < 1e-12 || seconds > 1e6) place.fail("is not a plausible kernel time in seconds");
  return seconds;
}

Bandwidth read_bandwidth(const JsonReader& place) {
  const double rate = place.positive();
  if (rate < 1e3 || rate > 1e18)
    place.fail("is not a plausible memory bandwidth in bytes per second");
  return Bandwidth::from_base(rate);
}

constexpr std::array kProductPrecisions{EnumName<MatrixPrecision>{"bf16", MatrixPrecision::bf16},
                                        EnumName<MatrixPrecision>{"fp8", MatrixPrecision::fp8}};
constexpr std::array kProductPasses{EnumName<Gradient>{"forward", Gradient::none},
                                    EnumName<Gradient>{"input_gradient", Gradient::inputs},
                                    EnumName<Gradient>{"weight_gradient", Gradient::weights}};

template <typename Value>
Value read_name(const JsonReader& place, std::span<const EnumName<Value>> names) {
  const auto value = value_named(place.text(), names);
  if (!value) place.fail("is none of " + joined(names_of(names)));
  return *value;
}

const codecs::Codec& read_codec(const JsonReader& place) {
  const std::string name = place.text();
  const auto all = codecs::all_codecs();
  const auto codec = std::ranges::find(all, name, &codecs::Codec::name);
  if (codec == all.end()) place.fail("unknown codec " + name);
  return **codec;
}

// What the row measured.
codecs::KernelShape read_shape(const JsonReader& row, const codecs::Codec& codec) {
  const std::string name = row.at("operation").text();
  const auto operation = codecs::operation_named(name);
  if (!operation) row.at("operation").fail("unknown kernel " + name);
  codecs::KernelShape shape{.operation = *operation, .wire = codec.format};
  shape.inputs = static_cast<int>(row.at("inputs").whole(65536));
  shape.value_bytes = usual_value_bytes(*operation);
  if (row.has("value_bytes")) {
    const double bytes = row.at("value_bytes").whole(4);
    if (bytes != 2 && bytes != 4) row.at("value_bytes").fail("is neither 2 nor 4");
    shape.value_bytes = static_cast<int>(bytes);
  }
  const bool requantizes = *operation == Operation::decode_reduce_encode;
  if (requantizes) {
    shape.wire_out = read_codec(row.at("to")).format;
  } else if (!row.at("to").text().empty()) {
    row.at("to").fail("names a codec, but " + name + " does not encode again");
  }
  return shape;
}

// One of the sizes of a kernel, whose row holds lists with a value for each.
struct Size {
  JsonReader elements, encoded, moved;
};

void check_bytes(const Size& size, std::size_t encoded, double moved) {
  if (size.encoded.positive() != static_cast<double>(encoded)) {
    size.encoded.fail(
        fmt::format("the codec encodes {:.0f} elements into {} bytes; calibrate again",
                    size.elements.whole(), encoded));
  }
  // Of a published row, whole bytes.
  if (std::abs(size.moved.positive() - moved) > 1 + 1e-9 * moved) {
    size.moved.fail(fmt::format("the kernel moves {:.0f} bytes; calibrate again", moved));
  }
}

// Sorted by size. `check` is given the size and its place. Published tables have no spread.
template <class Check>
void add_times(const JsonReader& row, Check check, std::vector<KernelTime>& times) {
  const JsonReader elements = row.at("elements"), encoded = row.at("encoded_bytes"),
                   moved = row.at("moved_bytes"), seconds = row.at("median_s");
  const std::size_t count = elements.size();
  for (std::size_t i = 0; i < count; ++i) {
    const Size size{elements.element(i, count), encoded.element(i, count), moved.element(i, count)};
    check(size, i);
    times.push_back({.elements = size.elements.whole(),
                     .seconds = read_seconds(seconds.element(i, count)),
                     .moved_bytes = size.moved.positive()});
  }
  if (row.has("spread_s")) {
    const JsonReader spreads = row.at("spread_s");
    for (std::size_t i = 0; i < count; ++i) {
      KernelTime& time = times[times.size() - count + i];
      time.spread = spreads.element(i, count).not_negative() / time.seconds;
    }
  }
  std::ranges::sort(times, {}, &KernelTime::elements);
  if (std::ranges::adjacent_find(times, {}, &KernelTime::elements) != times.end()) {
    row.fail("this kernel and size appear twice");
  }
}

void read_kernel(const JsonReader& row, Calibration& table) {
  row.only({"codec", "to", "operation", "inputs", "value_bytes", "elements", "encoded_bytes",
            "moved_bytes", "median_s", "spread_s", "launches"});
  const codecs::Codec& codec = read_codec(row.at("codec"));
  const codecs::KernelShape shape = read_shape(row, codec);
  const auto check = [&](const Size& size, std::size_t) {
    const double elements = size.elements.whole();
    const auto encoded = codecs::encoded_bytes(shape.wire, static_cast<std::size_t>(elements));
    check_bytes(size, encoded, moved_bytes(shape) * elements);
  };
  add_times(row, check, table.kernels.own()[kernel_key(shape, codec.name, row.at("to").text())]);
}

// With the parameters that its step takes and no others. Matrices' columns follow their size.
codecs::StepShape read_step_shape(const JsonReader& row, const codecs::MethodStep& step) {
  codecs::StepShape shape;
  const auto read = [&](bool takes, const char* key, double most, std::size_t& value) {
    if (takes) value = static_cast<std::size_t>(row.at(key).whole(most));
    if (!takes && row.has(key)) row.at(key).fail("this step does not take this parameter");
  };
  read(step.takes_ranks, "ranks", 65536, shape.ranks);
  read(step.takes_matrix, "factor_rank", 1024, shape.factor_rank);
  if (!step.takes_matrix && row.has("columns")) {
    row.at("columns").fail("this step does not take this parameter");
  }
  return shape;
}

void read_step(const JsonReader& row, Calibration& table) {
  row.only({"method", "step", "elements", "ranks", "columns", "factor_rank", "encoded_bytes",
            "moved_bytes", "median_s", "spread_s", "launches"});
  const std::string method = row.at("method").text(), name = row.at("step").text();
  const codecs::MethodStep* const step = step_named(method, name);
  if (step == nullptr) row.at("step").fail("unknown step of a method: " + method + " " + name);
  const codecs::StepShape of_row = read_step_shape(row, *step);
  const std::size_t count = row.at("elements").size();
  const auto check = [&](const Size& size, std::size_t place) {
    codecs::StepShape shape = of_row;
    shape.elements = static_cast<std::size_t>(size.elements.whole());
    if (step->takes_matrix) {
      shape.columns = static_cast<std::size_t>(row.at("columns").element(place, count).whole());
    }
    try {
      check_bytes(size, step->encoded_bytes(shape), step->moved_bytes(shape));
    } catch (const std::invalid_argument& refusal) {
      row.fail(std::string("the method does not take this tensor: ") + refusal.what());
    }
  };
  add_times(row, check, table.methods.own()[step_key(*step, of_row)]);
}

void read_gemm(const JsonReader& row, Calibration& table) {
  row.only({"precision", "pass", "m", "n", "k", "median_s", "spread_s", "launches"});
  table.gemm.own().push_back(
      {.m = row.at("m").whole(),
       .n = row.at("n").whole(),
       .k = row.at("k").whole(),
       .seconds = read_seconds(row.at("median_s")),
       .precision = read_name<MatrixPrecision>(row.at("precision"), kProductPrecisions),
       .gradient = read_name<Gradient>(row.at("pass"), kProductPasses)});
}

void read_pass(const JsonReader& row, Calibration& table) {
  row.only({"pass", "elements", "moved_bytes", "median_s", "spread_s", "launches"});
  const std::optional<Pass> pass = pass_named(row.at("pass").text());
  if (!pass) row.at("pass").fail("is no pass of a training step");
  auto& times = table.passes[*pass];
  const double moved = row.at("moved_bytes").positive();
  if (std::ranges::find(times, moved, &PassTime::moved_bytes) != times.end()) {
    row.fail("this pass and size appear twice");
  }
  times.push_back({moved, read_seconds(row.at("median_s"))});
}

// What only measured tables have; published ones leave it out or say null.
void read_measured(const JsonReader& root, Calibration& table) {
  if (table.kind == "measured" && root.has("copy_bandwidth_Bps")) {
    table.copy_bandwidth = read_bandwidth(root.at("copy_bandwidth_Bps"));
  }
  if (table.kind == "measured" && root.has("launch_latency_s")) {
    table.launch_latency = Seconds::from_base(read_seconds(root.at("launch_latency_s")));
  }
  if (root.has("multiprocessors")) {
    table.multiprocessors = root.at("multiprocessors").whole(1e6);
  }
  if (root.has("copy")) {
    root.at("copy").each([](const JsonReader& row) {
      row.only({"moved_bytes", "method", "median_s", "spread_s", "launches"});
      static_cast<void>(row.at("moved_bytes").positive());
      static_cast<void>(read_seconds(row.at("median_s")));
    });
  }
  if (root.has("passes")) {
    root.at("passes").each([&](const JsonReader& row) { read_pass(row, table); });
  }
  if (root.has("methods")) {
    root.at("methods").each([&](const JsonReader& row) { read_step(row, table); });
  }
}

enum class Device { gpu, cpu };

std::string read_kind(const JsonReader& root) {
  const std::string kind = root.at("kind").text();
  if (kind != "measured" && kind != "published") {
    root.at("kind").fail("is neither measured nor published");
  }
  return kind;
}

// Kernels that were compiled for another GPU than the one that ran them have other times.
void read_architecture(const JsonReader& provenance) {
  if (!provenance.has("architecture")) return;
  const std::string code = provenance.at("architecture").text();
  if (provenance.at("device").text().ends_with(", " + code)) return;
  provenance.at("architecture")
      .fail("the kernels were compiled for " + code +
            ", which is not this device's architecture; build for the device and measure again");
}

// The name of what was measured.
std::string read_device(const JsonReader& root, Device device) {
  if (device == Device::gpu && root.has("cpu")) {
    root.at("cpu").fail(
        "these times are of a CPU and say nothing about a GPU; give them as `host-codecs`, or run "
        "gardenhose-calibrate on a GPU");
  }
  if (device == Device::cpu && root.has("gpu")) {
    root.at("gpu").fail(
        "these times are of a GPU; run gardenhose-calibrate with its `device` cpu on a host");
  }
  return root.at(device == Device::cpu ? "cpu" : "gpu").text();
}

Calibration read_document(const JsonDocument& document, const std::filesystem::path& file,
                          Device device) {
  const JsonReader root(document);
  Calibration table;
  table.name = file.stem().string();
  table.kind = read_kind(root);
  table.gpu = read_device(root, device);
  root.only({"gpu", "cpu", "threads", "kind", "provenance", "memory_bandwidth_Bps",
             "copy_bandwidth_Bps", "launch_latency_s", "multiprocessors", "copy", "passes", "gemm",
             "codecs", "variants", "methods"});
  if (root.has("threads")) table.threads = static_cast<int>(root.at("threads").whole(1024));
  table.source = root.at("provenance").at("source").text();
  read_architecture(root.at("provenance"));
  root.at("codecs").each([&](const JsonReader& row) { read_kernel(row, table); });
  root.at("gemm").each([&](const JsonReader& row) { read_gemm(row, table); });
  read_measured(root, table);
  // What the table scales by in its place is enough.
  if (device == Device::cpu) {
    if (!table.copy_bandwidth) root.at("copy_bandwidth_Bps").fail("is needed of a CPU");
  } else if (!table.copy_bandwidth || root.at("memory_bandwidth_Bps").kind() != JsonKind::null) {
    table.memory_bandwidth = read_bandwidth(root.at("memory_bandwidth_Bps"));
  }
  for (auto& [name, times] : table.passes) std::ranges::sort(times, {}, &PassTime::moved_bytes);
  table.memory_share = memory_share(table);
  return table;
}

}  // namespace

CalibrationHead read_calibration_head(const std::filesystem::path& file) {
  const auto texts = first_texts(file, {"gpu", "kind"});
  return {.gpu = texts[0], .kind = texts[1]};
}

Calibration read_calibration(const std::filesystem::path& file) {
  return read_document(read_json(file), file, Device::gpu);
}

Calibration read_host_codecs(const std::filesystem::path& file) {
  return read_document(read_json(file), file, Device::cpu);
}

Calibration parse_calibration(std::string_view text, const std::filesystem::path& file) {
  return read_document(parse_json(text, file), file, Device::gpu);
}

}  // namespace sim
