// SPDX-License-Identifier: Apache-2.0
// The part of the catalogue that says what reports hold.
#include <fmt/format.h>

#include "apps/catalogue.hpp"
#include "sim/report/figures.hpp"

namespace apps {
namespace {

std::string_view kind_text(sim::FigureKind kind) {
  switch (kind) {
    case sim::FigureKind::number:
      return "number";
    case sim::FigureKind::count:
      return "whole number";
    case sim::FigureKind::text:
      return "string";
    case sim::FigureKind::truth:
      return "true or false";
  }
  return "";
}

// Tables show shares in percent; JSON and CSV have the share.
std::string_view unit_text(std::string_view symbol) {
  return symbol == "%" ? "share" : symbol == "×" ? "ratio" : symbol;
}

std::string_view worse_text(sim::Worse worse) {
  return worse == sim::Worse::more ? "more" : worse == sim::Worse::less ? "less" : "";
}

template <class Of>
void add_rows(std::string_view part, std::span<const sim::FigureOf<Of>> figures, Listing& listing) {
  for (const auto& figure : figures) {
    listing.rows.push_back(
        {fmt::format("{}{}", part, figure.name), std::string(unit_text(figure.unit.symbol)),
         std::string(worse_text(figure.worse)), std::string(kind_text(figure.unit.kind))});
  }
}

}  // namespace

std::vector<Listing> figure_listings() {
  Listing listing{
      "figures",
      "figures of `run`'s JSON and CSV; [] marks objects of a list, and a dot keys of an "
      "object, which only JSON has",
      {"figure", "unit", "worse", "value"},
      {},
      "{:<40} {:<9} {:<5} {}"};
  add_rows("", sim::all_figures(), listing);
  add_rows("by_site[].", sim::site_figures(), listing);
  add_rows("busiest_links[].", sim::link_figures(), listing);
  add_rows("sensitivity.", sim::sensitivity_figures(), listing);
  add_rows("pareto.", sim::pareto_figures(), listing);
  return {listing};
}

}  // namespace apps
