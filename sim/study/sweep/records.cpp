// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "sim/study/sweep/base_units.hpp"
#include "sim/study/sweep/sweep.hpp"

namespace sim::sweep {

void each_record(Store& store, const std::function<void(const Inputs&)>& visit) {
  NumberColumns numbers;             // of the inputs that are quantities
  std::vector<std::string> figures;  // in the order of the first point that has each
  store.each_finished([&](const StoredPoint& point) {
    for (const auto& [key, value] : point.inputs.items()) numbers.add(key, value);
    for (const auto& [key, value] : point.outcome.report.items()) {
      const bool is_new = is_figure(key, value) && std::ranges::find(figures, key) == figures.end();
      if (is_new) figures.push_back(key);
    }
  });
  store.each_finished([&](const StoredPoint& point) {
    Inputs record = {{"number", point.number}, {"state", point.outcome.state}};
    numbers.each(point.inputs, [&](const std::string& name, const Inputs& value) {
      record["in_" + name] = value;
    });
    const Inputs& report = point.outcome.report;
    for (const std::string& figure : figures) {
      record[figure] = report.is_null() ? Inputs() : report.value(figure, Inputs());
    }
    record["message"] = or_null(point.outcome.message);
    visit(record);
  });
}

}  // namespace sim::sweep
