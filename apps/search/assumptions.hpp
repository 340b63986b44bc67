// What a prediction rests on and nobody knows exactly: each such constant with how far it may be off,
// and what the answer would be if it were.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "apps/search/efficiency_range.hpp"
#include "sim/cluster/wide_area.hpp"

namespace apps {

// What an assumption is about, and so whether two configurations that differ share it.
enum class Concern {
  gpu,       // its rates: shared by clusters of the same GPU and calibration
  links,     // NVLink, NICs and the fabric: shared on the same cluster
  library,   // the communication library: shared by all
  wide_area  // the network between sites: shared between the same sites
};

// What an assumption about the network between sites has in place of functions of a cluster.
struct BetweenSites {
  // Whether the sites have the constant at all: storage, or a path that loses packets.
  bool (*is_there)(const sim::WideArea&) = nullptr;
  Spread (*spread)(const sim::WideArea&) = nullptr;
  void (*scale)(sim::WideArea&, double factor) = nullptr;
  std::string (*flags)(const sim::WideArea&) = nullptr;
};

// One constant, or several that are wrong together.
struct Assumption {
  std::string_view name;     // "nic_bandwidth"
  std::string_view meaning;  // one line
  Concern concern = Concern::gpu;
  bool more_is_faster = false;
  Spread (*spread)(const sim::Cluster&, const sim::Calibration&) = nullptr;
  // To `factor` times what it is. 1 changes no bit.
  void (*scale)(sim::Cluster&, sim::Calibration&, double factor) = nullptr;
  // The flags of run that say what the cluster and the calibration have: "--set nvlink.latency=2us".
  // Empty where none does, as for a calibration's table.
  std::string (*flags)(const sim::Cluster&, const sim::Calibration&) = nullptr;
  BetweenSites between_sites = {};  // of Concern::wide_area, which has none of the three above
};
// Those of one cluster; what rounds between sites rest on besides is in round_assumptions.hpp.
[[nodiscard]] std::span<const Assumption> assumptions();

// Whether a cluster has the constant: not what is between sites. The other functions of a Job are
// for what it rests on.
[[nodiscard]] bool rests_on(const Job& job, const Assumption& assumption);
[[nodiscard]] Spread spread_of(const Job& job, const Assumption& assumption);
[[nodiscard]] std::string flags_of(const Job& job, const Assumption& assumption);

// The job as it would be if the constant were `factor` times what it is.
[[nodiscard]] Job scaled(Job job, const Assumption& assumption, double factor);

// Seconds of a simulated step.
[[nodiscard]] double step_seconds(const Job& job, const Setup& setup);

// d ln throughput / d ln constant: what a percent more of it gains or costs, in percent. By one
// simulation with kSensitivityStep times as much of it; `step_time_s` is the step as it is.
inline constexpr double kSensitivityStep = 1.1;
[[nodiscard]] double sensitivity(const Job& job, const Setup& setup, const Assumption& assumption,
                                 double step_time_s);

}  // namespace apps
