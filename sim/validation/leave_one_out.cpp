// SPDX-License-Identifier: Apache-2.0
#include <cmath>
#include <set>

#include "sim/base/parallel.hpp"
#include "sim/validation/fit.hpp"
#include "sim/validation/study.hpp"

namespace sim::validation {
namespace {

using Group = std::pair<std::string, std::string>;  // cluster, model

Group group_of(const Measurement& one) { return {one.setup.cluster, one.setup.model}; }

// The inputs with the constants of one cluster fitted without one of its models.
Inputs fitted_without(Inputs inputs, const Group& left_out,
                      const std::vector<Measurement>& measurements) {
  std::vector<Measurement> others;
  for (const Measurement& one : measurements) {
    const bool same_cluster = one.setup.cluster == left_out.first;
    if (same_cluster && one.setup.model != left_out.second && one.setup.scheme == "sharded") {
      others.push_back(one);
    }
  }
  inputs.clusters.at(left_out.first).fitted = fit(inputs, left_out.first, others);
  return inputs;
}

std::set<Group> groups_of(const std::vector<Measurement>& measurements, std::string_view table) {
  std::set<Group> groups;
  for (const Measurement& one : measurements) {
    if (table_of(one.row) == table) groups.insert(group_of(one));
  }
  return groups;
}

}  // namespace

int model_count(const std::vector<Measurement>& measurements, std::string_view table) {
  return static_cast<int>(groups_of(measurements, table).size());
}

Errors leave_one_out(const Inputs& inputs, const std::vector<Measurement>& measurements,
                     std::string_view table, int jobs, const Tick& tick) {
  const std::set<Group> set = groups_of(measurements, table);
  const std::vector<Group> groups(set.begin(), set.end());
  const auto predicted = in_parallel(jobs, groups.size(), [&](std::size_t i) {
    tick();
    const Group& left_out = groups[i];
    std::vector<Row> rows;
    const Inputs refitted = fitted_without(inputs, left_out, measurements);
    for (const Measurement& one : measurements) {
      if (table_of(one.row) != table || group_of(one) != left_out) continue;
      rows.push_back(
          {.measured = one, .predicted = {.fitted = predict(refitted, one.setup).of(one.metric)}});
    }
    return rows;
  });
  std::vector<Row> rows;
  for (const std::vector<Row>& some : predicted) rows.insert(rows.end(), some.begin(), some.end());
  return row_errors(rows, table, Metric::tflops_per_gpu, &Columns::fitted);
}

}  // namespace sim::validation
