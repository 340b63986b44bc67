// SPDX-License-Identifier: Apache-2.0
// Published logs of nccl-tests and of programs like it, beside simulated collectives and beside an
// alpha-beta law for each GPU generation or transport.
//
// Constants belong to a generation (inside a node) or a transport (between nodes). The logs to which
// any was fitted have the role `fit` and do not count towards the errors.
#pragma once

#include <array>
#include <filesystem>
#include <functional>
#include <limits>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "sim/base/names.hpp"
#include "sim/base/setting.hpp"
#include "sim/collectives/collective_rows.hpp"
#include "sim/fit/alpha_beta.hpp"
#include "sim/validation/study.hpp"

namespace sim::validation {

using fit::AlphaBeta;

// held_out: nothing may be fitted to the log; its rows are counted apart from the others.
enum class NcclRole { fit, counted, held_out, left_out };
inline constexpr EnumName<NcclRole> kNcclRoles[] = {{"fit", NcclRole::fit},
                                                    {"counted", NcclRole::counted},
                                                    {"held_out", NcclRole::held_out},
                                                    {"left_out", NcclRole::left_out}};

// A line of traces/published/nccl_logs.csv, whose comment explains the columns.
struct NcclLog {
  std::string name;     // "h100_8_nccl2.29.2"
  std::string cluster;  // topologies/<cluster>.toml; "-" if no file describes it
  int nodes = 1;
  int gpus_per_node = 0;
  int groups = 1;         // at once, of consecutive ranks
  std::string nccl;       // version; "-": unknown; "rccl": AMD's library
  std::string constants;  // generation or transport: "h100", "hdr"
  NcclRole role = NcclRole::counted;
  std::vector<Setting> settings;  // in which its cluster and launch differ from the file
  std::string source;

  [[nodiscard]] int group_size() const { return nodes * gpus_per_node / groups; }
  [[nodiscard]] bool by_nccl() const { return nccl != "rccl"; }
  // Several NVLink domains, each of more GPUs than a server has.
  [[nodiscard]] bool over_racks() const;
};

struct NcclRow {
  std::shared_ptr<const NcclLog> log;
  const CollectiveRow* collective = nullptr;
  double bytes = 0;  // of the whole buffer, as nccl-tests counts
  double published_s = 0;
  double simulated_s = 0;
  double as_nccl_s = 0;     // by the choices of the log's version of NCCL; 0: another library
  double alpha_beta_s = 0;  // 0: no log gives its constants a law of this collective

  // What each rank has to send, whatever the algorithm.
  [[nodiscard]] double sent_bytes() const {
    return collective->sent_share(log->group_size()) * bytes;
  }
};
using NcclTime = double NcclRow::*;

struct NcclStudy {
  std::vector<std::shared_ptr<const NcclLog>> logs;
  std::vector<NcclRow> rows;
  // By constants and collective, on the rows with the role `fit`.
  std::map<std::pair<std::string, std::string>, AlphaBeta> laws;
};

// Both tables without predictions, from the folder that contains traces/published. Throws an
// InputError for a row of an unknown log, role or collective.
[[nodiscard]] NcclStudy read_nccl(const std::filesystem::path& folder);

// Fits the laws, and predicts all rows but those left out. Equal runs of several logs are simulated
// once, with one tick each.
[[nodiscard]] NcclStudy predict_nccl(const std::filesystem::path& folder, NcclStudy study, int jobs,
                                     const Tick& tick);
// The number of its ticks.
[[nodiscard]] int nccl_simulations(const NcclStudy& study);

// Puts predictions that were made before into the rows: a file with the columns log, collective,
// size_bytes and simulated_s, among others. Rows without one are dropped. Fits the laws. Throws an
// InputError with its place for a row of an unknown log or collective, for one that stands twice, and
// if the file has none of the rows.
struct Earlier {
  NcclStudy study;
  int unmeasured = 0;  // predictions of rows that the study does not have
};
[[nodiscard]] Earlier with_earlier(NcclStudy study, const std::filesystem::path& file);

// Sizes from `least` to below `end`.
struct SizeBand {
  const char* name;
  const char* key;
  double least;
  double end;
  [[nodiscard]] bool has(const NcclRow& row) const { return row.bytes >= least && row.bytes < end; }
};
inline constexpr double kMiB = 1 << 20;
inline constexpr std::array<SizeBand, 3> kSizeBands{
    {{"below 1 MiB", "below_1_MiB", 0, kMiB},
     {"1 to 64 MiB", "1_to_64_MiB", kMiB, 64 * kMiB},
     {"from 64 MiB", "from_64_MiB", 64 * kMiB, std::numeric_limits<double>::infinity()}}};

// Relative errors of the time.
struct NcclErrors {
  int count = 0;
  double mean = 0, median = 0;  // of absolute values
  double within = 0;            // share of rows at most kNear off
  double bias = 0;              // mean with sign: above 0 if predictions are too slow
};
inline constexpr double kNear = 0.2;
using NcclFilter = std::function<bool(const NcclRow&)>;
// Over those of the rows that have such a prediction.
[[nodiscard]] NcclErrors nccl_errors(const std::vector<NcclRow>& rows, const NcclFilter& counts,
                                     NcclTime predicted);

}  // namespace sim::validation
