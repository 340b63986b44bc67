// SPDX-License-Identifier: Apache-2.0
#include "apps/run/month.hpp"

#include <vector>

#include "sim/base/error.hpp"
#include "sim/base/file.hpp"
#include "sim/reliability/month.hpp"
#include "sim/study/goodput.hpp"
#include "sim/study/membership.hpp"

namespace apps {
namespace {

// By table of sites.
std::vector<std::vector<std::string>> names_of(const sim::WideArea& area) {
  std::vector<std::vector<std::string>> names;
  int place = 0;
  for (const sim::Site& site : area.sites) {
    auto& of_table = names.emplace_back();
    for (int i = 0; i < site.count; ++i) of_table.push_back(sim::place_name(area, place++));
  }
  return names;
}

}  // namespace

void write_month(const std::string& file, const Job& job, const Setup& setup,
                 const sim::Report& report) {
  if (const auto goodput = goodput_of(job, setup, report)) {
    sim::write_file("--month", file, to_csv(month_of_failures(job, *goodput), "job"));
    return;
  }
  if (!report.ended()) throw sim::InputError("--month: no round ends; set a --deadline");
  sim::write_file("--month", file,
                  to_csv(month_of_comers(job, setup, report), "rounds", names_of(job.topology)));
}

}  // namespace apps
