// SPDX-License-Identifier: Apache-2.0
// gardenhose-calibrate: measures the codecs' kernels and the GPU that it finds, or the processor, and
// writes one table that the simulator reads. It links CUDA, so it never forks and is a program of its own.
#include <filesystem>
#include <string>
#include <vector>

#include "apps/calibrate/architecture.hpp"
#include "apps/calibrate/cpu.hpp"
#include "apps/calibrate/gpu/gpu.hpp"
#include "apps/calibrate/settings.hpp"
#include "apps/calibrate/summary.hpp"
#include "apps/streams.hpp"
#include "codecs/cuda/error.hpp"
#include "sim/base/error.hpp"
#include "sim/base/file.hpp"
#include "sim/base/files_in_use.hpp"
#include "sim/base/printable.hpp"

namespace {

constexpr int kWrongInput = 2, kDeviceTrouble = 3, kOurBug = 70;

void tell(const std::string& line) { apps::write_error(sim::printable_lines(line) + "\n"); }

// The table is written even if kernels were wrong: what is in it was right.
int tell_disagreed(const std::vector<std::string>& names) {
  for (const std::string& name : names) {
    tell(name + ": kernel and reference disagree; left out of the table");
  }
  return names.empty() ? 0 : kDeviceTrouble;
}

int write_cpu_table(const calibrate::Settings& settings) {
  if (!settings.output.empty()) sim::require_writable("--output", settings.output);
  const calibrate::CpuTable measured = calibrate::measure_cpu(settings);
  const std::string text = calibrate::text_of(measured.table);
  if (settings.output.empty()) {
    apps::write_output(text);
  } else {
    sim::write_file("--output", settings.output, text);
  }
  return tell_disagreed(measured.disagreed);
}

int write_gpu_table(const calibrate::Settings& settings) {
  const calibrate::Device device = calibrate::read_device();
  calibrate::require_native(device.name, device.architecture, device.code);
  const std::filesystem::path output =
      settings.output.empty() ? calibrate::default_output(device.name) : settings.output;
  const std::vector<std::filesystem::path> libraries{settings.cublas, settings.cublas_lt};
  sim::note_inputs(libraries);
  sim::require_writable("--output", output);
  const calibrate::GpuTable measured = calibrate::measure_gpu(settings, device);
  sim::write_file("--output", output, calibrate::text_of(measured.table));
  tell(output.string());
  return tell_disagreed(measured.disagreed);
}

int run(const calibrate::Settings& settings) {
  if (!settings.summary.empty()) {
    apps::write_output(sim::printable_lines(calibrate::summary_of_file(settings.summary)));
    return 0;
  }
  return settings.target == calibrate::Target::cpu ? write_cpu_table(settings)
                                                   : write_gpu_table(settings);
}

}  // namespace

int main(int count, char** arguments) {
  apps::hold_standard_descriptors();
  try {
    const auto settings = calibrate::read_settings(count, arguments);
    const int code = settings ? run(*settings) : 0;
    apps::finish_output();
    return code;
  } catch (const sim::InputError& error) {
    tell(error.what());
    return kWrongInput;
  } catch (const codecs::cuda::CudaError& error) {
    tell(error.what());
    return kDeviceTrouble;
  } catch (const std::exception& error) {
    tell(std::string("gardenhose-calibrate: internal error, please report it: ") + error.what());
    return kOurBug;
  }
}
