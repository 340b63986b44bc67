// SPDX-License-Identifier: Apache-2.0
#include "apps/job/calibration_files.hpp"

#include <filesystem>
#include <mutex>
#include <optional>
#include <utility>
#include <vector>

#include "apps/data_files.hpp"
#include "sim/base/file.hpp"
#include "sim/study/search/memo.hpp"
#include "sim/times/compiled.hpp"
#include "sim/times/measured_die.hpp"
#include "sim/times/published.hpp"
#include "sim/topology/compute_efficiency.hpp"

namespace apps {
namespace {

sim::Calibration codec_times_for(const sim::Gpu& gpu, const std::string& name) {
  if (name == "roofline") return sim::roofline();
  if (name != "auto") return sim::read_calibration(data_file(Kind::calibration, name));
  std::optional<std::filesystem::path> best;
  int best_rank = 0;
  for (const auto& file : shipped_files(Kind::calibration)) {
    const sim::CalibrationHead table = sim::read_calibration_head(file);
    const bool measured = table.kind == "measured";
    const int rank = (table.gpu == gpu.name ? 2 : 0) + (measured ? 1 : 0);
    if (rank > best_rank) {
      best = file;
      best_rank = rank;
    }
  }
  return best ? sim::read_calibration(*best) : sim::roofline();
}

sim::Gpu only_named(const std::string& name) {
  sim::Gpu gpu;
  gpu.name = name;
  return gpu;
}

// The other shipped tables that measured products on GPUs of the die. A user's own table stands alone.
std::vector<sim::MeasuredGpu> others_of_die(const sim::PublishedKernels& published,
                                            const sim::Calibration& table,
                                            const std::string& name) {
  std::vector<sim::MeasuredGpu> others;
  if (is_path(name, ".json") || table.gpu != published.gpu) return others;
  for (const auto& file : shipped_files(Kind::calibration)) {
    const sim::CalibrationHead head = sim::read_calibration_head(file);
    if (head.kind != "measured" || head.gpu == table.gpu) continue;
    if (!sim::names_gpu(head.gpu, published.of_same_die)) continue;
    others.push_back(
        {sim::read_calibration(file),
         sim::read_published_kernels(published_kernels_folder(), only_named(head.gpu))});
  }
  return others;
}

void add_published(const sim::Gpu& gpu, const std::string& name, sim::Calibration& table) {
  const auto published = sim::read_published_kernels(published_kernels_folder(), gpu);
  const std::vector<sim::MeasuredGpu> others = others_of_die(*published, table, name);
  table.published = sim::with_measured(published, table, gpu, others);
  table = sim::with_launches_of_die(std::move(table), others);
}

sim::Calibration read_tables(const sim::Gpu& gpu, const std::string& name) {
  sim::Calibration table = codec_times_for(gpu, name);
  if (name != "roofline") add_published(gpu, name, table);
  if (table.kind == "measured") {
    table.compiled = sim::read_compiled_kernels(compiled_kernels_folder(), gpu.name);
  }
  if (table.kind == "measured" && table.gpu != gpu.name) {
    table.compiled_there = sim::read_measured_kernels(compiled_kernels_folder(), table.gpu);
  }
  return table;
}

}  // namespace

sim::Calibration calibration_for(const sim::Gpu& gpu, const std::string& name) {
  if (sim::stands_for(name)) return read_tables(gpu, name);
  static std::mutex one_at_a_time;
  static sim::study::Memo<std::string, sim::Gpu, std::optional<sim::Calibration>> known;
  const std::lock_guard lock(one_at_a_time);
  std::optional<sim::Calibration>& table = known.at(name, gpu).first;
  if (!table) table = read_tables(gpu, name);
  return *table;
}

void keep_given(const sim::Gpu& sheet, std::span<const sim::Setting> settings, sim::Gpu& gpu) {
  for (const sim::Setting& setting : settings) {
    if (setting.key == "gpu.memory_efficiency") gpu.memory_efficiency = sheet.memory_efficiency;
    if (setting.key == "gpu.launch_latency") gpu.launch_latency = sheet.launch_latency;
  }
}

}  // namespace apps
