// Calibration: measured times of GPU kernels, by size, from a JSON table that gardenhose-calibrate
// wrote or that was taken from a publication; and what stands in where there is none.
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "codecs/codec.hpp"
#include "sim/base/units.hpp"
#include "sim/cluster/cluster.hpp"

namespace sim {

// One measured size of one kernel.
struct KernelTime {
  double elements = 0;
  double seconds = 0;
  double moved_bytes = 0;  // read and written in GPU memory
};

struct GemmTime {
  double m = 0, n = 0, k = 0;
  double seconds = 0;
};

struct Calibration {
  std::string name;                 // the file's stem; "roofline" when there is no table
  std::string gpu;                  // that it was measured on
  std::string kind;                 // "measured", "published" or "roofline"
  std::string source;               // one line of provenance
  Bandwidth memory_bandwidth = {};  // of that GPU's data sheet, to scale by
  // Median over the kernels, each at its largest size, of bytes moved over time and over that
  // bandwidth; 0 when there is no table.
  double memory_share = 0;
  // By "codec/operation/inputs/to", sizes ascending.
  std::map<std::string, std::vector<KernelTime>> kernels = {};
  std::vector<GemmTime> gemm = {};  // BF16
};

// Reads a table. Throws InputError naming the file and the JSON path of what is wrong; a table
// whose encoded_bytes disagree with the codec's is refused as stale.
[[nodiscard]] Calibration read_calibration(const std::filesystem::path& file);
// No table: every kernel's time is its bytes over the memory's bandwidth.
[[nodiscard]] Calibration roofline();

// One launch of a codec's kernel.
struct KernelUse {
  codecs::KernelShape shape;
  double elements = 0;  // of the input for encodes, of one output for decodes
};

struct KernelEstimate {
  double seconds = 0;
  std::string
      source;  // "measured on H200 (h200)", "extrapolated from ... by memory bandwidth", ...
};

// Interpolates the table in the logarithm of the size; beyond its ends the rate of the last size
// holds. On another GPU than the table's the time is scaled by memory bandwidth. A kernel that the
// table lacks moves its bytes at the table's memory_share, without a table at the bandwidth that
// the GPU's copies reach.
[[nodiscard]] KernelEstimate kernel_time(const Calibration& calibration, const Gpu& gpu,
                                         const KernelUse& use);

}  // namespace sim
