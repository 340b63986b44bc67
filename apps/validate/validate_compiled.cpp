// SPDX-License-Identifier: Apache-2.0
#include "apps/validate/validate_compiled.hpp"

#include <fmt/format.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "apps/data_files.hpp"
#include "apps/print.hpp"
#include "apps/print_records.hpp"
#include "apps/terminal.hpp"
#include "sim/base/text_table.hpp"
#include "sim/validation/compiled.hpp"

namespace apps {
namespace {

using Json = nlohmann::ordered_json;
using sim::validation::KernelRate;

void print_rates(const std::vector<KernelRate>& rates) {
  sim::TextTable table{.align = "<<>>>><"};
  table.rows.push_back(sim::heading_row(
      {"kernel", "GPU", "copy, us", "published", "predicted", "off by", "busiest pipe"}));
  for (const KernelRate& rate : rates) {
    table.rows.push_back({rate.kernel + (rate.fitted ? " *" : ""), rate.gpu,
                          fmt::format("{:.1f}", rate.copy_s * 1e6),
                          fmt::format("{:.1f}", rate.published_s * 1e6),
                          fmt::format("{:.1f}", rate.predicted_s * 1e6),
                          fmt::format("{:+.0f} %", 100 * rate.error()), rate.pipe});
  }
  print_styled(to_text(table, output_width()));
}

void print_summary(const std::vector<KernelRate>& rates) {
  double errors = 0, of_copies = 0;
  int rows = 0, near = 0, sides = 0;
  for (const KernelRate& rate : rates) {
    if (rate.fitted) continue;
    ++rows;
    errors += std::abs(rate.error());
    of_copies += std::abs(rate.copy_s / rate.published_s - 1);
    near += std::abs(rate.error()) <= 0.25 ? 1 : 0;
    sides += rate.same_side() ? 1 : 0;
  }
  print_text(
      "\nRows marked * were used to fit how blocks overlap, and do not count. Of {} others, {} are "
      "within\n25 %, {} on the same side of 1.25 copies. On average they are off by {:.1f} %; "
      "plain "
      "arithmetic,\nbytes over the rate of a copy, by {:.1f} %.\n",
      rows, near, sides, 100 * errors / rows, 100 * of_copies / rows);
}

std::vector<Json> records_of(const std::vector<KernelRate>& rates) {
  std::vector<Json> records;
  for (const KernelRate& rate : rates) {
    records.push_back({{"kernel", rate.kernel},
                       {"gpu", rate.gpu},
                       {"fitted", rate.fitted},
                       {"copy_s", rate.copy_s},
                       {"published_s", rate.published_s},
                       {"predicted_s", rate.predicted_s},
                       {"error", rate.error()},
                       {"same_side", rate.same_side()},
                       {"busiest_pipe", rate.pipe}});
  }
  return records;
}

}  // namespace

void validate_compiled(const std::string& format) {
  const auto rates = sim::validation::compare_kernel_rates(data_directory());
  if (format != "table") {
    const std::vector<Json> records = records_of(rates);
    print_records(format, Json{{"schema_version", 1}, {"study", "compiled"}, {"rows", records}},
                  records);
    return;
  }
  print_rates(rates);
  print_summary(rates);
}

}  // namespace apps
