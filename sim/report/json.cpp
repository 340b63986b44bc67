// SPDX-License-Identifier: Apache-2.0
// Reports as JSON and CSV. A step and a round have the same names in the same order; a name
// that does not apply is absent.
#include <nlohmann/json.hpp>
#include <vector>

#include "sim/report/records.hpp"
#include "sim/report/writers.hpp"

namespace sim {
namespace {

using Json = nlohmann::ordered_json;

// Of the objects: grows when a field goes or changes its meaning, not when one is added.
constexpr int kSchemaVersion = 1;

Json or_null(const std::optional<double>& value) { return value ? Json(*value) : Json(); }

template <class Of>
Json record_of(std::span<const FigureOf<Of>> figures, const std::type_identity_t<Of>& of) {
  Json record = Json::object();
  add_figures(figures, of, record);
  return record;
}

void add_phases(const Report& r, Json& json) {
  Json& exposed = json["exposed_comm_by_phase_s"] = Json::object();
  for (const auto& [phase, seconds] : r.time.exposed_by_phase_s) {
    exposed[phase_name(phase)] = seconds;
  }
  Json& sent = json["wire_bytes_by_phase"] = Json::object();
  for (const auto& [phase, wire] : r.step->wire_by_phase) {
    sent[phase_name(phase)] = {{"intra_node", wire.intra_node}, {"inter_node", wire.inter_node}};
  }
}

void add_sites(const RoundFigures& round, Json& json) {
  json["events"] = round.events;
  json["by_site"] = Json::array();
  for (const SiteReport& site : round.by_site) {
    json["by_site"].push_back(record_of(site_figures(), site));
  }
}

// The flat part: what JSON and CSV share.
Json flat(const Report& report, std::span<const Figure> figures) {
  return record_of(figures, report);
}

Json to_object(const Report& r, std::span<const Figure> figures) {
  Json json = {{"schema_version", kSchemaVersion}};
  json.update(flat(r, figures));
  if (r.step) add_phases(r, json);
  if (r.round) add_sites(*r.round, json);
  for (const MemoryPart& part : memory_parts()) {
    json["memory_by_part_bytes"][part.name] = r.memory.*part.bytes;
  }
  if (r.sensitivity) json["sensitivity"] = record_of(sensitivity_figures(), *r.sensitivity);
  json["busiest_links"] = Json::array();
  for (const LinkUse& use : r.busiest_links) {
    json["busiest_links"].push_back(record_of(link_figures(), use));
  }
  json["bound"] = r.bound;
  json["codec_error"] = Json::object();
  for (const auto& [name, error] : r.codec_error) json["codec_error"][name] = or_null(error);
  if (r.step) json["pareto"] = Json::object();
  if (r.pareto) json["pareto"] = record_of(pareto_figures(), *r.pareto);
  json["sources"] = r.sources;
  return json;
}

std::vector<Json> each(std::span<const Report> reports, std::span<const Figure> figures,
                       Json (*record)(const Report&, std::span<const Figure>)) {
  std::vector<Json> records;
  for (const Report& report : reports) records.push_back(record(report, figures));
  return records;
}

}  // namespace

std::string to_json(std::span<const Report> reports, std::span<const Figure> figures) {
  return json_text(each(reports, figures, to_object));
}
std::string to_csv(std::span<const Report> reports, std::span<const Figure> figures) {
  return csv_text(each(reports, figures, flat));
}

}  // namespace sim
