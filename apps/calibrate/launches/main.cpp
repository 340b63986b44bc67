// SPDX-License-Identifier: Apache-2.0
// gardenhose-kernel-launches: which kernels each row of a calibration table launches, with which grids
// and parameters, as one JSON record a line. It runs none of them and needs no GPU. For
// traces/compiled/count.py, which gives it on standard input the sizes of each kernel's parameters:
// lines "NAME SIZE SIZE ...". Arguments: codecs and methods whose rows are wanted, instead of all.
//
// Then the same of few elements: a record of the normally distributed values in device memory, and after
// it records with the launches that make what a row reads, those of the row, and all device memory. count.py
// runs these: kernels that do what their values say, for their counts, and encodes and decodes, for what the
// reference writes.
#include <algorithm>
#include <functional>
#include <iostream>
#include <nlohmann/json.hpp>
#include <span>
#include <sstream>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "apps/calibrate/gpu/method_steps.hpp"
#include "apps/calibrate/gpu/operations.hpp"
#include "apps/calibrate/launches/runtime.hpp"
#include "apps/calibrate/pieces.hpp"
#include "apps/streams.hpp"
#include "codecs/top_k/top_k.hpp"

namespace {

using calibrate::Json;
using calibrate::Measured;
using calibrate::MeasuredStep;

// So many that no cap on a grid is missed, and few enough for 32 bits.
constexpr std::size_t kElements = std::size_t{1} << 28;
// Of each wire, where kernels are run: 32 chunks of 4096.
constexpr std::size_t kRunElements = std::size_t{1} << 17;

launches::ParameterSizes read_sizes(std::istream& text) {
  launches::ParameterSizes sizes;
  for (std::string line; std::getline(text, line);) {
    std::istringstream words(line);
    std::string kernel;
    words >> kernel;
    std::vector<std::size_t>& of_kernel = sizes[kernel];
    for (std::size_t size = 0; words >> size;) of_kernel.push_back(size);
  }
  return sizes;
}

Json json_of(const launches::Launch& launch) {
  Json json{{"kernel", launch.kernel}};
  if (launch.blocks > 0) {
    json["blocks"] = launch.blocks;
    json["threads"] = launch.threads;
    json["parameters"] = launch.parameters;
    return json;
  }
  json["bytes"] = launch.bytes;
  json["to"] = launch.to;
  if (launch.from != 0) json["from"] = launch.from;
  json["value"] = launch.value;
  return json;
}

Json json_of(const std::vector<launches::Launch>& all) {
  Json list = Json::array();
  for (const launches::Launch& launch : all) list.push_back(json_of(launch));
  return list;
}

// What names a row.
Json json_of(const Measured& measured) {
  const Json row = calibrate::json_of(measured.row, {});
  return {{"codec", row["codec"]},
          {"operation", row["operation"]},
          {"inputs", row["inputs"]},
          {"to", row["to"]},
          {"value_bytes", measured.row.shape.value_bytes},
          {"variant", measured.row.variant},
          {"elements", measured.row.elements}};
}
Json json_of(const MeasuredStep& measured) {
  return {{"codec", measured.step.method},      {"operation", measured.step.step},
          {"inputs", measured.shape.ranks},     {"to", ""},
          {"value_bytes", sizeof(float)},       {"variant", ""},
          {"elements", measured.shape.elements}};
}

void write(const Json& record) { apps::write_output(record.dump() + "\n"); }

template <typename Launch>
Json launched(const Launch& launch) {
  (void)launches::taken();
  launch();
  return json_of(launches::taken());
}

template <typename Row>
void write_launches(const Row& row, const std::function<void(std::size_t, cudaStream_t)>& launch) {
  Json record = json_of(row);
  record["launches"] = launched([&] { launch(0, nullptr); });
  write(record);
}

using Names = std::vector<std::string_view>;
bool are_wanted(const Names& names, std::string_view rows_of) {
  return names.empty() || std::ranges::find(names, rows_of) != names.end();
}

void write_all_launches(const Names& names) {
  const calibrate::Workspace workspace(kElements, calibrate::wire_bytes(kElements), 1);
  for (const Measured& measured : calibrate::all_operations(workspace)) {
    if (are_wanted(names, measured.row.codec->name)) {
      write_launches(measured, measured.launch);
    }
  }
  for (const MeasuredStep& measured : calibrate::all_steps(workspace, nullptr)) {
    // DGC looks for a threshold in as many rounds as the tensor needs, and adds to places all over memory.
    if (measured.step.method == "dgc" || !are_wanted(names, measured.step.method)) continue;
    write_launches(measured, measured.kernels.launch);
  }
}

// Whether a codec's kernels do what the values say: find few to send, or loop.
bool depends_on_values(const Measured& measured) {
  const codecs::Format& format = measured.row.shape.wire;
  const bool sends_few = format.keep > 0 && format.keep < format.group;
  return sends_few || format.element == codecs::Element::codebook2 ||
         format.element == codecs::Element::sign;
}

void write_values() {
  Json values = Json::array();
  for (const std::span<const std::byte> one : launches::kept_memory()) {
    const bool holds =
        std::ranges::any_of(one, [](std::byte byte) { return byte != std::byte{0}; });
    if (!holds) continue;
    values.push_back({reinterpret_cast<std::uintptr_t>(one.data()), launches::hexadecimal(one)});
  }
  write({{"values", values}});
}

// What the reference encodes the values to, or decodes from that, and where the kernels write it; null for
// other operations, and where the last bits differ.
Json expected_output(const Measured& measured, const calibrate::Workspace& workspace) {
  const codecs::KernelShape& shape = measured.row.shape;
  const bool decodes = shape.operation == codecs::Operation::decode;
  if ((!decodes && shape.operation != codecs::Operation::encode) ||
      shape.wire.rotation == codecs::Rotation::dct) {
    return nullptr;
  }
  const std::size_t n = measured.row.elements;
  const calibrate::Piece all{0, n};
  std::vector<float> values = shape.value_bytes == sizeof(codecs::Bf16)
                                  ? calibrate::as_floats(workspace.pattern.model(all))
                                  : workspace.pattern.input(all);
  std::vector<std::byte> wire(codecs::encoded_bytes(shape.wire, n));
  measured.row.codec->encode(shape.wire, values, calibrate::key_of(0, 0), wire);
  if (decodes) measured.row.codec->decode(shape.wire, wire, values);
  return {reinterpret_cast<std::uintptr_t>(workspace.output.at(0)),
          launches::hexadecimal(decodes ? std::as_bytes(std::span(values)) : std::span(wire))};
}

// Of so many launches one after the other, the last.
template <typename Kernels>
void write_run(Json record, const Kernels& kernels, int count) {
  record["prepare"] = launched([&] {
    kernels.prepare(nullptr);
    for (int i = 1; i < count; ++i) kernels.launch(0, nullptr);
  });
  record["run"] = launched([&] { kernels.launch(0, nullptr); });
  record["memory"] = Json::array();
  for (const std::span<const std::byte> one : launches::kept_memory()) {
    record["memory"].push_back({reinterpret_cast<std::uintptr_t>(one.data()), one.size()});
  }
  write(record);
}

// Of as many elements in each wire, so that a block of threads that takes 32 chunks has them.
void write_runs_of(std::size_t inputs, const Names& names) {
  launches::keep_memory(true);
  const std::size_t elements = inputs * kRunElements;
  const calibrate::Workspace workspace(elements, calibrate::wire_bytes(elements), 1);
  write_values();
  for (const Measured& measured : calibrate::all_operations(workspace)) {
    if (measured.row.elements != kRunElements || !measured.row.variant.empty() ||
        !are_wanted(names, measured.row.codec->name)) {
      continue;
    }
    Json record = json_of(measured);
    record["output"] = expected_output(measured, workspace);
    record["counts"] = depends_on_values(measured);
    if (record["output"].is_null() && !record["counts"]) continue;
    write_run(std::move(record), measured, 1);
  }
  if (inputs > 1) return;
  for (const MeasuredStep& measured : calibrate::all_steps(workspace, nullptr)) {
    if (measured.step.method == codecs::sparseloco.name &&
        are_wanted(names, measured.step.method)) {
      Json record = json_of(measured);
      record["counts"] = true;
      write_run(std::move(record), measured.kernels, calibrate::kCheckedLaunches);
    }
  }
}

}  // namespace

int main(int argc, char** argv) {
  try {
    const Names names(argv + 1, argv + argc);
    launches::expect_parameters(read_sizes(std::cin));
    write_all_launches(names);
    write_runs_of(1, names);
    for (const int inputs : calibrate::kInputs) {
      write_runs_of(static_cast<std::size_t>(inputs), names);
    }
    apps::finish_output();
    return 0;
  } catch (const std::exception& error) {
    apps::write_error(std::string("gardenhose-kernel-launches: ") + error.what() + "\n");
    return 2;
  }
}
