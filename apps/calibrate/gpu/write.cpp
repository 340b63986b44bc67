// SPDX-License-Identifier: Apache-2.0
#include <filesystem>
#include <vector>

#include "apps/calibrate/architecture.hpp"
#include "apps/calibrate/gpu/gpu.hpp"
#include "apps/calibrate/gpu_table.hpp"
#include "codecs/cuda/error.hpp"
#include "sim/base/file.hpp"
#include "sim/base/files_in_use.hpp"

namespace calibrate {

int write_gpu_table(const Settings& settings) {
  try {
    const Device device = read_device();
    require_native(device.name, device.architecture, device.code);
    const std::filesystem::path output =
        settings.output.empty() ? default_output(device.name) : settings.output;
    const std::vector<std::filesystem::path> libraries{settings.cublas, settings.cublas_lt};
    sim::note_inputs(libraries);
    sim::require_writable("--output", output);
    const GpuTable measured = measure_gpu(settings, device);
    sim::write_file("--output", output, text_of(measured.table));
    tell(output.string());
    return tell_disagreed(measured.disagreed);
  } catch (const codecs::cuda::CudaError& error) {
    tell(error.what());
    return kDeviceTrouble;
  }
}

}  // namespace calibrate
