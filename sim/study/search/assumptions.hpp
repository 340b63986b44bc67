// SPDX-License-Identifier: Apache-2.0
// Assumptions of a prediction that nobody knows exactly: each constant with its possible error, and
// the answer if it were off.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "sim/study/job.hpp"
#include "sim/study/search/spread.hpp"
#include "sim/topology/wide_area.hpp"

namespace sim::study {

// The subject of an assumption, which decides whether two different configurations share it.
enum class Concern {
  gpu,       // its rates: shared by clusters of the same GPU and calibration
  links,     // NVLink, NICs and the fabric: shared on the same cluster
  library,   // the communication library: shared by all
  wide_area  // the network between sites: shared between the same sites
};

// Replaces functions of a cluster in assumptions about the network between sites.
struct BetweenSites {
  // Whether the sites have the constant at all: storage, or a path that loses packets.
  bool (*is_there)(const WideArea&) = nullptr;
  Spread (*spread)(const WideArea&) = nullptr;
  void (*scale)(WideArea&, double factor) = nullptr;
  std::string (*fields)(const WideArea&) = nullptr;
};

// What studies ask an assumption for. Its name is for people and files.
enum class Constant { other, nic_bandwidth, network_latency, codec_time };

// One constant, or several that are wrong together.
struct Assumption {
  std::string_view name;     // "nic_bandwidth"
  std::string_view meaning;  // one line
  Concern concern = Concern::gpu;
  bool more_is_faster = false;
  Spread (*spread)(const Cluster&, const Calibration&) = nullptr;
  // Sets the constant to `factor` times its value. 1 changes no bit.
  void (*scale)(Cluster&, Calibration&, double factor) = nullptr;
  // The fields of a job that give the values of the cluster and the calibration:
  // "`set` nvlink.latency=2us".
  // Empty if there are none, as for a calibration's table.
  std::string (*fields)(const Cluster&, const Calibration&) = nullptr;
  BetweenSites between_sites = {};  // for Concern::wide_area, which has none of the three above
  Constant constant = Constant::other;
};
// Those about a cluster, which sites rest on as well; then those about the network between sites.
// Names are unique.
[[nodiscard]] std::span<const Assumption> assumptions();
// The latter alone.
[[nodiscard]] std::span<const Assumption> assumptions_between_sites();

// What the model leaves out, of the ratio of two setups' speeds (ratio_spread()). No constant of a
// job: it has no functions, and applies to what was simulated.
extern const Assumption kModel;

// Whether the job has the constant: clusters all of a cluster's; sites those of a path, of one that
// loses packets, or of storage. Call the other functions only if it does.
[[nodiscard]] bool rests_on(const Job& job, const Assumption& assumption);
// For a cluster's constant, the widest at any site.
[[nodiscard]] Spread spread_of(const Job& job, const Assumption& assumption);
// The same of the job's values. None for a constant of several sites' clusters, which is in
// the cluster's own file, out of reach of `set`.
[[nodiscard]] std::string fields_of(const Job& job, const Assumption& assumption);

// The job with the constant at `factor` times its value; a cluster's constant at all sites.
[[nodiscard]] Job scaled(Job job, const Assumption& assumption, double factor);

// d ln (1 / time) / d ln constant: the gain or cost, in percent, of one percent more of it. By one
// simulation with kSensitivityStep times its value; `seconds` is the unchanged step or round. Only
// of the time: sites that are no longer heard before a deadline do not count. Minus infinity if the
// change aborts the round.
inline constexpr double kSensitivityStep = 1.1;
[[nodiscard]] double sensitivity(const Job& job, const Setup& setup, const Assumption& assumption,
                                 double seconds);

}  // namespace sim::study
