// SPDX-License-Identifier: Apache-2.0
// Calibration: measured times of GPU kernels, by size, from a JSON table written by
// gardenhose-calibrate or taken from a publication; and the roofline that replaces a missing table.
// A table of a CPU has the times of codecs that hosts run between sites.
#pragma once

#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "codecs/codec.hpp"
#include "codecs/method.hpp"
#include "sim/base/pass.hpp"
#include "sim/base/shared.hpp"
#include "sim/base/units.hpp"
#include "sim/times/host.hpp"
#include "sim/topology/cluster.hpp"
#include "sim/workload/operators.hpp"

namespace sim {

struct CompiledKernels;   // sim/times/compiled.hpp
struct PublishedKernels;  // sim/times/published.hpp

// One measured size of one kernel.
struct KernelTime {
  double elements = 0;
  double seconds = 0;
  double moved_bytes = 0;  // read and written in GPU memory
  double spread = 0;       // interquartile range of its launches over their median; 0: unknown
  bool operator==(const KernelTime&) const = default;
};

// One measured size of a pass over memory.
struct PassTime {
  double moved_bytes = 0;
  double seconds = 0;
  bool operator==(const PassTime&) const = default;
};

// One measured product C(m,n) = A(m,k) B(k,n).
struct GemmTime {
  double m = 0, n = 0, k = 0;
  double seconds = 0;
  MatrixPrecision precision = MatrixPrecision::bf16;
  Gradient gradient = Gradient::none;
  bool operator==(const GemmTime&) const = default;
};

// By key, sizes ascending. Jobs are copied often, and a measured table has a thousand kernels.
using KernelTimes = Shared<std::map<std::string, std::vector<KernelTime>>>;

struct Calibration {
  std::string name;    // the file's stem; "roofline" when there is no table
  std::string gpu;     // measured GPU; of a CPU's table, the processor
  std::string kind;    // "measured", "published" or "roofline"
  std::string source;  // one line of provenance
  // From its data sheet: published tables scale by it, and with another one of the GPU, measured ones.
  Bandwidth memory_bandwidth = {};
  // Measured tables only, which scale by it: bytes read and written per second by a large copy; and
  // the time from the end of one kernel to the start of the next.
  std::optional<Bandwidth> copy_bandwidth = {};
  std::optional<Seconds> launch_latency = {};
  std::optional<double> multiprocessors = {};
  // Median over the kernels, each at its largest size, of bytes moved over time, relative to that
  // bandwidth; 0 without a table.
  double memory_share = 0;
  // By "codec/operation/inputs/to", sizes ascending; with suffix "/2" if the values have 2 bytes
  // and usually 4, "/4" if they have 4 and usually 2 (weights).
  KernelTimes kernels = {};
  // Steps of methods beyond a single codec, by "method/step/ranks/factor_rank" (codecs/method.hpp),
  // sizes ascending.
  KernelTimes methods = {};
  Shared<std::vector<GemmTime>> gemm = {};
  std::map<Pass, std::vector<PassTime>> passes = {};  // sizes ascending
  // Published times for the cluster's GPU, with its measured products (with_measured()); null: the
  // roofline.
  std::shared_ptr<const PublishedKernels> published = {};
  // What machine code says of kernels on the cluster's GPU, and, of a measured table of another GPU, of those
  // that were measured there; null: unknown.
  std::shared_ptr<const CompiledKernels> compiled = {}, compiled_there = {};
  // Factor on the time of a codec's kernels from the table or its substitute, for what-if questions
  // (`codec-time`).
  double codec_slowdown = 1;
  // A CPU's table for the codecs that hosts run (sim/times/host_codecs.hpp); null: GPUs run them.
  std::shared_ptr<const Calibration> host_codecs = {};
  bool hosts_encode_steps = false;  // those inside a cluster, too, not only those between sites
  int threads = 1;                  // of a CPU's table: of each kernel
  // What it costs to issue kernels; of no table.
  Hosts hosts = {};
  double attention_slowdown = 1;  // the same for published attention
  // Of matrix products and attention, over that of their times, with power throttling
  // (sim/times/throttling.hpp): the fastest, until a step is simulated.
  double product_rate = 1;
  bool operator==(const Calibration&) const = default;
};

// What a table says of itself first: whether it is worth reading.
struct CalibrationHead {
  std::string gpu, kind;
};
// Reads no further than it must. Throws an InputError if the file does not say both.
[[nodiscard]] CalibrationHead read_calibration_head(const std::filesystem::path& file);
// Reads a table. Throws an InputError with the file and the JSON path of the error; a table whose
// encoded_bytes or moved_bytes disagree with the codec's is refused as stale, and so is a CPU's.
[[nodiscard]] Calibration read_calibration(const std::filesystem::path& file);
// The same for a table of a CPU; a GPU's is refused.
[[nodiscard]] Calibration read_host_codecs(const std::filesystem::path& file);
// Parses text in memory; `file` gives the table's name and the text's name in messages.
[[nodiscard]] Calibration parse_calibration(std::string_view text,
                                            const std::filesystem::path& file);
// By how much the memory is faster than the table's GPU has it, where the table says: a question about
// another memory. 1 for other GPUs.
[[nodiscard]] double memory_speed(const Calibration& calibration, const Gpu& gpu);
// The GPU with measured values in place of its data sheet's: the copy bandwidth and the launch
// latency. Unchanged if the table is for another GPU or lacks these measurements.
[[nodiscard]] Gpu as_measured(Gpu gpu, const Calibration& calibration);
// "measured" or "published measurements", for a text that goes on with "on GPU".
[[nodiscard]] std::string_view origin_of_times(const Calibration& calibration);
// No table: every kernel takes its bytes over the memory bandwidth.
[[nodiscard]] Calibration roofline();

// One launch of a codec's kernel.
struct KernelUse {
  codecs::KernelShape shape;
  double elements = 0;  // of the input for encodes, of one output for decodes
};

// The sizes between which a time was interpolated; of a time that no table or card gave, none.
struct MeasuredSizes {
  double smallest = 0, largest = 0;  // elements
  // Whether the times at that end already follow the law that holds beyond it, see interpolated().
  bool settled_below = false, settled_above = false;
  std::string step = {};  // of a card: its kernel that was timed, "decode_reduce/8"

  // How far beyond the end that a size is: 4 for a quarter of the smallest. 1 between the ends and
  // beyond a settled one.
  [[nodiscard]] double excess(double elements) const;
};

struct KernelEstimate {
  double seconds = 0;
  std::string source;  // "measured on H200 (h200)", "compiled for sm_100, from times ...", ...
  MeasuredSizes sizes = {};
  double fixed_s = 0;            // of these seconds, what it takes however few elements
  std::string substituted = {};  // a kernel that a card lacks, and what stands for it
};

// Interpolates the table in the logarithm of the size; beyond its ends, the rate of the last size
// holds. For a GPU other than the table's, what its machine code says of both (sim/times/compiled.hpp);
// else see sim/times/extrapolation.hpp. A kernel missing from the table takes what its machine code on
// this GPU says, if that was counted; else it moves its bytes at the table's memory_share, or without a
// table at the GPU's copy bandwidth. A composition of kernels takes these and its passes over memory.
[[nodiscard]] KernelEstimate kernel_time(const Calibration& calibration, const Gpu& gpu,
                                         const KernelUse& use);

// Of a codec's kernel that no table has, and that sums so many wires. At the share of the bandwidth that
// the table's kernels reach; without a table at what the GPU's copies do.
[[nodiscard]] KernelEstimate time_of_bytes(const Calibration& calibration, const Gpu& gpu,
                                           double bytes, int inputs = 1);

// Of a kernel that only moves bytes: a launch, a ramp, and the bytes at this rate. `inputs`: wires that
// it sums.
[[nodiscard]] double seconds_of_bytes(const Gpu& gpu, Bandwidth rate, double bytes, int inputs = 1);

// Scaled by Calibration::codec_slowdown, as kernel_time() and step_time() are.
[[nodiscard]] KernelEstimate slowed(KernelEstimate estimate, const Calibration& calibration);

// The same for a step of a method beyond a single codec.
[[nodiscard]] KernelEstimate step_time(const Calibration& calibration, const Gpu& gpu,
                                       const codecs::MethodStep& step,
                                       const codecs::StepShape& shape);

// The time for a size, linear between measured sizes in the logarithm of both. Below the smallest
// size launches dominate; above the largest the rate has settled. `times` must not be empty.
[[nodiscard]] double interpolated(const std::vector<KernelTime>& times, double elements);
[[nodiscard]] MeasuredSizes sizes_of(const std::vector<KernelTime>& times);

// Time of a pass over memory, interpolated likewise, its launch included. Nothing if the table is
// for another GPU or lacks the pass.
[[nodiscard]] std::optional<double> pass_time(const Calibration& calibration, const Gpu& gpu,
                                              Pass pass, double moved_bytes);
// What passes of so many bytes take at least, however many and of whatever kind: `unmeasured`, or less
// where the table has a faster one, whose rate at any size no interpolation exceeds.
[[nodiscard]] double least_pass_time(const Calibration& calibration, const Gpu& gpu,
                                     double moved_bytes, double unmeasured);

}  // namespace sim
