// SPDX-License-Identifier: Apache-2.0
#include "apps/calibrate/gpu/measure.hpp"
#include "apps/calibrate/gpu/operations.hpp"

namespace calibrate {
namespace {

std::string row_name(const KernelRow& row) {
  std::string name = std::string(row.codec->name) + " " + std::string(name_of(row.shape.operation));
  if (row.to != nullptr) name += " to " + std::string(row.to->name);
  if (row.shape.value_bytes == 2) name += " bf16";
  if (!row.variant.empty()) name += " " + row.variant;
  if (row.shape.inputs > 1) name += " of " + std::to_string(row.shape.inputs);
  return name + ", " + std::to_string(row.elements);
}

bool agrees(const Measured& measured, const codecs::cuda::Stream& stream) {
  stream.wait();
  for (const Piece& piece : sample(*measured.row.codec, measured.row.elements)) {
    if (!measured.agrees(piece)) return false;
  }
  return true;
}

// A fast wrong kernel is no measurement: null. What works in place is checked on a launch of its
// own, all else on the last launch into the first buffers.
Json measure(Session& session, const Measured& measured) {
  const codecs::cuda::Stream& stream = session.benchmark.stream();
  bool right = true;
  measured.prepare(stream.get());
  if (measured.in_place) {
    measured.launch(0, stream.get());
    right = agrees(measured, stream);
  }
  const Time time = time_of(session, measured.launch);
  if (!measured.in_place) right = agrees(measured, stream);
  if (!right) {
    session.disagreed.push_back(row_name(measured.row));
    return nullptr;
  }
  report(session, row_name(measured.row), time.median_s,
         rate_text(moved_bytes(measured.row), time.median_s));
  return json_of(measured.row, time);
}

}  // namespace

CodecRows measure_codecs(Session& session, const Sizes& sizes) {
  CodecRows rows;
  const std::vector<std::size_t> fitting = kernel_sizes(sizes, free_bytes());
  for (const std::size_t bytes : fitting) {
    const std::size_t elements = bytes / sizeof(float);
    const Workspace workspace(elements, wire_bytes(elements),
                              copies(bytes, codecs::cuda::l2_bytes(), free_bytes()));
    const std::vector<Measured> all = all_operations(workspace);
    if (bytes == fitting.front()) session.budget.expect(all.size() * fitting.size());
    for (const Measured& measured : all) {
      Json row = measure(session, measured);
      if (row.is_null()) continue;
      if (!measured.row.variant.empty()) row["variant"] = measured.row.variant;
      (measured.row.variant.empty() ? rows.codecs : rows.variants).push_back(row);
    }
  }
  return rows;
}

}  // namespace calibrate
