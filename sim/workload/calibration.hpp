// Calibration: measured times of GPU kernels, by size, from a JSON table that gardenhose-calibrate
// wrote or that was taken from a publication; and what stands in where there is none.
#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "codecs/codec.hpp"
#include "codecs/method.hpp"
#include "sim/base/units.hpp"
#include "sim/cluster/cluster.hpp"

namespace sim {

// One measured size of one kernel.
struct KernelTime {
  double elements = 0;
  double seconds = 0;
  double moved_bytes = 0;  // read and written in GPU memory
  double spread = 0;       // interquartile range of its launches over their median; 0: not said
};

// One measured size of a pass over memory.
struct PassTime {
  double moved_bytes = 0;
  double seconds = 0;
};

// How a matrix product and a kernel beside it slow each other.
struct Interference {
  std::string kernel;       // "copy", which stands for a collective, or "encode CODEC"
  int blocks = 0;           // thread blocks of a copy: a collective's channels; else 0
  double product_slow = 1;  // its time beside the kernel over its time alone
  double kernel_slow = 1;
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
  Bandwidth memory_bandwidth = {};  // of its data sheet: published tables scale by it
  // Of measured tables, which scale by it: of a large copy, bytes read and written together; and
  // from one kernel's end to the next one's start.
  std::optional<Bandwidth> copy_bandwidth = {};
  std::optional<Seconds> launch_latency = {};
  // Median over the kernels, each at its largest size, of bytes moved over time and over that
  // bandwidth; 0 when there is no table.
  double memory_share = 0;
  // By "codec/operation/inputs/to", sizes ascending; "/2" follows where the values have 2 bytes and
  // usually have 4, "/4" where they have 4 and usually 2 (weights).
  std::map<std::string, std::vector<KernelTime>> kernels = {};
  // Of methods that are more than a codec, by "method/step/ranks/factor_rank" (codecs/method.hpp),
  // sizes ascending.
  std::map<std::string, std::vector<KernelTime>> methods = {};
  std::vector<GemmTime> gemm = {};  // BF16
  // By the pass's label in a schedule, sizes ascending: "gradient norm", "clip", "adam", "cast
  // weights", "zero gradients".
  std::map<std::string, std::vector<PassTime>> passes = {};
  std::vector<Interference> interference = {};
  // What a codec's kernel takes over what the table, or what stands in for it, says: whoever doubts
  // the table asks what if (--codec-time).
  double codec_slowdown = 1;
};

// Reads a table. Throws InputError naming the file and the JSON path of what is wrong; a table
// whose encoded_bytes or moved_bytes disagree with the codec's is refused as stale, and one of the
// references' times on a CPU is refused altogether.
[[nodiscard]] Calibration read_calibration(const std::filesystem::path& file);
// The same from text in memory; `file` is what messages and the table's name are taken from.
[[nodiscard]] Calibration parse_calibration(std::string_view text,
                                            const std::filesystem::path& file);
// Whether the file says that its times are of a CPU. No if it cannot be read.
[[nodiscard]] bool is_cpu_table(const std::filesystem::path& file);
// Whether the table has matrix products measured on this GPU.
[[nodiscard]] bool measured_products(const Calibration& calibration, const Gpu& gpu);
// The GPU with what was measured on it instead of its data sheet: what its copies reach, what a
// launch costs. Unchanged where the table is of another GPU or did not measure these.
[[nodiscard]] Gpu as_measured(Gpu gpu, const Calibration& calibration);
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
// holds. On another GPU than the table's the time is scaled by that bandwidth. A kernel that the
// table lacks moves its bytes at the table's memory_share, without a table at the bandwidth that
// the GPU's copies reach.
[[nodiscard]] KernelEstimate kernel_time(const Calibration& calibration, const Gpu& gpu,
                                         const KernelUse& use);

// By Calibration::codec_slowdown, which kernel_time() and step_time() have in them.
[[nodiscard]] KernelEstimate slowed(KernelEstimate estimate, const Calibration& calibration);

// Of a step of a method that is more than a codec, likewise.
[[nodiscard]] KernelEstimate step_time(const Calibration& calibration, const Gpu& gpu,
                                       const codecs::MethodStep& step,
                                       const codecs::StepShape& shape);

// The time for a size, linear between measured sizes in the logarithm of both. Below the smallest
// size launches dominate, above the largest the rate has settled. `times` is not empty.
[[nodiscard]] double interpolated(const std::vector<KernelTime>& times, double elements);

// Of a pass over memory, interpolated likewise; its launch is part of it. Nothing where the table
// is of another GPU or lacks the pass.
[[nodiscard]] std::optional<double> pass_time(const Calibration& calibration, const Gpu& gpu,
                                              const std::string& pass, double moved_bytes);

}  // namespace sim
