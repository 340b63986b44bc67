// SPDX-License-Identifier: Apache-2.0
#include "apps/flag_values.hpp"

#include <iterator>
#include <span>
#include <utility>

#include "apps/data_files.hpp"
#include "sim/collectives/algorithm.hpp"
#include "sim/schemes/scheme.hpp"
#include "sim/topology/cluster.hpp"
#include "sim/topology/nccl_transports.hpp"
#include "sim/workload/model.hpp"

namespace apps {
namespace {

using Names = std::vector<std::string>;

Names together(Names first, Names second) {
  std::move(second.begin(), second.end(), std::back_inserter(first));
  return first;
}

}  // namespace

Names topology_names() { return together(cluster_names(), shipped_names(Kind::wide_area)); }
Names cluster_names() { return shipped_names(Kind::topology); }
Names model_names() { return shipped_names(Kind::model); }
Names reliability_names() { return shipped_names(Kind::reliability); }
Names calibration_names() {
  return together({"auto", "roofline"}, shipped_names(Kind::calibration));
}
Names host_codec_names() { return shipped_names(Kind::host_codecs); }

Names scheme_names() { return together(row_names(sim::all_schemes()), {"all"}); }
Names inner_scheme_names() { return row_names(sim::all_schemes(sim::SchemeKind::inside)); }
Names baseline_names() { return together({"twin", "best"}, row_names(sim::all_schemes())); }

Names algorithm_names() { return together({"auto", "fastest"}, row_names(sim::all_algorithms())); }
Names protocol_names() { return row_names(sim::kProtocolNames); }
Names nccl_names() { return row_names(sim::kNcclNames); }

Names setting_starts() {
  Names starts;
  for (const auto keys : {sim::cluster_keys(), sim::model_keys()}) {
    for (const sim::TomlKey& row : keys) starts.push_back(std::string(row.key) + "=");
  }
  return starts;
}

}  // namespace apps
