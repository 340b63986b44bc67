// plan_round(): rounds of several sites as a schedule whose ranks are the sites.
//
//   site a  [500 inner steps]─[encode]─┐                  ┌─[decode, outer update]─[inner steps...
//   site b  [500 inner steps]─[encode]─┼─► flows over ────┤
//   site c  [500 inner steps]─[encode]─┘   the wide area  └─ after as many steps as may overlap
//
// Inner steps are known by their time: each kind of site has been simulated on its own fabric.
// Bytes are those of all GPUs of a site together.
#pragma once

#include <optional>
#include <vector>

#include "sim/cluster/wide_area.hpp"
#include "sim/rounds/outer_scheme.hpp"
#include "sim/schedule/builder.hpp"

namespace sim {

// What one site does. Kernel times are of one exchange: of a fragment, or of a step's gradients.
struct SiteWork {
  double step_s = 0;    // an inner step, alone
  double slowdown = 1;  // of its steps while traffic of other sites passes
  // Into the step that is sent from: when equal parts of what is sent are ready, ascending; and
  // when a result that nothing overlaps is needed.
  std::vector<double> ready_s;
  double needed_s = 0;
  double encode_s = 0;
  double sum_s = 0;     // of what it owns, and encoding the sum again where it travels on
  double decode_s = 0;  // of the result
  double update_s = 0;
  double whole_bytes = 0;  // of what it sends, whole to one receiver
  double part_bytes = 0;   // of one of as many parts as there are sites
  double start_s = 0;      // after the others
};

// What became of a site in the first round.
enum class Fate {
  heard,    // its share is in the round's sum
  skipped,  // it came too late: the others went on, it takes their result
  gone      // it dropped out
};

struct RoundShape {
  Exchange exchange = Exchange::ring;
  int inner_steps = 1;
  int fragments = 1;
  int overlap_steps = 0;
  bool delayed = false;  // results are waited for before the next exchange only
  int rounds = 1;
  int gpus = 1;                         // of all sites: the flat ring's ranks
  double flat_hop_s = 0;                // latency of a flat ring's hops inside sites, mean
  std::vector<SiteWork> sites;          // by place
  std::vector<Fate> fates = {};         // by place; none: all are heard
  std::optional<double> cutoff_s = {};  // when those that are heard go on without the others
};

struct RoundPlan {
  Schedule schedule;
  // By round and place: the last operation of its last step.
  std::vector<std::vector<OperationId>> ends;
  // By round and place: when the last result of the round is there; kNoOperation where none comes.
  std::vector<std::vector<OperationId>> results;
  // By place: when what it sends last in the first round is there, of each site that it sends to;
  // or when it is ready, where nothing is sent to one site alone.
  std::vector<std::vector<OperationId>> arrivals;
};

// Throws std::logic_error where the shape is not of the area's places.
[[nodiscard]] RoundPlan plan_round(const WideArea& area, const RoundShape& shape);

}  // namespace sim
