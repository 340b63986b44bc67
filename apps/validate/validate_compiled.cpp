// SPDX-License-Identifier: Apache-2.0
#include "apps/validate/validate_compiled.hpp"

#include <fmt/format.h>

#include <cmath>
#include <nlohmann/json.hpp>
#include <string_view>
#include <utility>

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
using sim::validation::RateRole;

// Each, and how it is marked in the table.
std::pair<std::string_view, std::string_view> role_words(RateRole role) {
  switch (role) {
    case RateRole::counted:
      return {"counted", ""};
    case RateRole::fitted:
      return {"fitted", " *"};
    case RateRole::measured:
      return {"measured", " +"};
  }
  return {};
}

void print_rates(const std::vector<KernelRate>& rates) {
  sim::TextTable table{.align = "<<>>>><"};
  table.rows.push_back(sim::heading_row(
      {"kernel", "GPU", "copy, us", "took", "predicted", "off by", "busiest pipe"}));
  for (const KernelRate& rate : rates) {
    table.rows.push_back({rate.kernel + std::string(role_words(rate.role).second), rate.gpu,
                          fmt::format("{:.1f}", rate.copy_s * 1e6),
                          fmt::format("{:.1f}", rate.published_s * 1e6),
                          fmt::format("{:.1f}", rate.predicted_s * 1e6),
                          fmt::format("{:+.0f} %", 100 * rate.error()), rate.pipe});
  }
  print_styled(to_text(table, output_width()));
}

struct Score {
  int rows = 0, near = 0, sides = 0;
  double errors = 0, of_copies = 0;
};

Score score(const std::vector<KernelRate>& rates, RateRole role) {
  Score all;
  for (const KernelRate& rate : rates) {
    if (rate.role != role) continue;
    ++all.rows;
    all.errors += std::abs(rate.error());
    all.of_copies += std::abs(rate.copy_s / rate.published_s - 1);
    all.near += std::abs(rate.error()) <= 0.25 ? 1 : 0;
    all.sides += rate.same_side() ? 1 : 0;
  }
  return all;
}

void print_score(const std::string& what, const Score& all) {
  print_text(
      "{}: {} of {} within 25 %, {} on the same side of {} copies.\n"
      "Off by {:.1f} % on average; plain arithmetic, bytes over the rate of a copy, by {:.1f} %.\n",
      what, all.near, all.rows, all.sides, sim::validation::kMemoryBound,
      100 * all.errors / all.rows, 100 * all.of_copies / all.rows);
}

void print_summary(const std::vector<KernelRate>& rates) {
  print_text("\nRows marked * were used to fit what barriers cost, and do not count.\n");
  print_score("Other published rates", score(rates, RateRole::counted));
  print_score("Rates measured by this project (+)", score(rates, RateRole::measured));
}

std::vector<Json> records_of(const std::vector<KernelRate>& rates) {
  std::vector<Json> records;
  for (const KernelRate& rate : rates) {
    records.push_back({{"kernel", rate.kernel},
                       {"gpu", rate.gpu},
                       {"role", role_words(rate.role).first},
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
