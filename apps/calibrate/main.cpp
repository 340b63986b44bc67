// SPDX-License-Identifier: Apache-2.0
// gardenhose-calibrate: measures the codecs' kernels and the GPU that it finds, or the processor, and
// writes one table that the simulator reads. It may link CUDA, so it never forks
// and is a program of its own.
#include <string>

#include "apps/calibrate/cpu.hpp"
#include "apps/calibrate/gpu_table.hpp"
#include "apps/calibrate/settings.hpp"
#include "apps/calibrate/summary.hpp"
#include "apps/streams.hpp"
#include "sim/base/error.hpp"
#include "sim/base/file.hpp"
#include "sim/base/printable.hpp"

namespace {

constexpr int kWrongInput = 2, kOurBug = 70;

int write_cpu_table(const calibrate::Settings& settings) {
  if (!settings.output.empty()) sim::require_writable("--output", settings.output);
  const calibrate::CpuTable measured = calibrate::measure_cpu(settings);
  const std::string text = calibrate::text_of(measured.table);
  if (settings.output.empty()) {
    apps::write_output(text);
  } else {
    sim::write_file("--output", settings.output, text);
  }
  return calibrate::tell_disagreed(measured.disagreed);
}

int run(const calibrate::Settings& settings) {
  if (!settings.summary.empty()) {
    apps::write_output(sim::printable_lines(calibrate::summary_of_file(settings.summary)));
    return 0;
  }
  return settings.target == calibrate::Target::cpu ? write_cpu_table(settings)
                                                   : calibrate::write_gpu_table(settings);
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
    calibrate::tell(error.what());
    return kWrongInput;
  } catch (const std::exception& error) {
    calibrate::tell(std::string("gardenhose-calibrate: internal error, please report it: ") +
                    error.what());
    return kOurBug;
  }
}
