// SPDX-License-Identifier: Apache-2.0
#include "apps/report_page/timelines.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <string>
#include <utility>

#include "apps/progress.hpp"
#include "apps/usable_cores.hpp"
#include "sim/base/file.hpp"
#include "sim/base/scratch.hpp"
#include "sim/study/sweep/processes.hpp"

namespace apps {
namespace {

namespace fs = std::filesystem;

using sim::sweep::Outcome;

constexpr int kSitesShown = 4;
// Of the whole timeline: no wider than a pixel.
constexpr double kUnseen = 1.0 / 2000;
// The same simulation, but for digits that a page leaves out.
constexpr double kAgrees = 1e-6;

// Texts by the order in which they were met.
class Names {
 public:
  std::size_t place_of(const std::string& name) {
    const auto [found, is_new] = places_.emplace(name, list_.size());
    if (is_new) list_.push_back(name);
    return found->second;
  }
  [[nodiscard]] const Inputs& list() const { return list_; }

 private:
  std::map<std::string, std::size_t> places_;
  Inputs list_ = Inputs::array();
};

struct Event {
  std::pair<int, int> track;  // pid, tid
  std::string name, phase;
  double start_us, end_us;
  double longest_us = end_us - start_us;
  int operations = 1;
};

// What follows each other on a track within `length_us` as one event, with the phase of its longest.
std::vector<Event> fused(const std::vector<Event>& events, double length_us) {
  std::vector<Event> all;
  for (const Event& event : events) {
    Event* last = all.empty() ? nullptr : &all.back();
    if (last == nullptr || last->track != event.track ||
        event.end_us - last->start_us >= length_us) {
      all.push_back(event);
      continue;
    }
    const double took_us = event.end_us - event.start_us;
    if (took_us > last->longest_us) {
      last->name = event.name;
      last->phase = event.phase;
      last->longest_us = took_us;
    }
    last->end_us = event.end_us;
    ++last->operations;
  }
  return all;
}

// At most so many events, and the length below which neighbours have become one.
double limit_to(std::size_t most, std::vector<Event>& events) {
  double end_us = 0;
  for (const Event& event : events) end_us = std::max(end_us, event.end_us);
  const std::vector<Event> all = events;
  double length_us = 0;
  for (double share = kUnseen; events.size() > most && length_us <= end_us; share *= 2) {
    length_us = share * end_us;
    events = fused(all, length_us);
  }
  for (Event& event : events) {
    if (event.operations > 1) event.name += fmt::format(" and {} more", event.operations - 1);
  }
  return length_us;
}

Inputs traced(const StoredPoint& point, const fs::path& trace) {
  const bool sites = point.outcome.report.contains("sites");
  return report_of_point(point.inputs,
                         {"--perfetto=" + trace.string(),
                          fmt::format("--perfetto-ranks={}", sites ? kSitesShown : 1)});
}

// The time that a timeline spans: of several sites the round's.
double span_of(const Inputs& report) {
  const Inputs step = report.value("step_time_s", Inputs());
  const Inputs round = report.value("round_time_s", step);
  return round.is_number() ? round.get<double>() : 0;
}

Inputs timeline_of(const StoredPoint& point, const Outcome& outcome, const fs::path& trace) {
  Inputs timeline = {{"number", point.number}};
  if (outcome.report.is_null()) {
    timeline["problem"] = outcome.message;
    return timeline;
  }
  const double now = span_of(outcome.report), then = span_of(point.outcome.report);
  timeline["agrees"] = std::abs(now - then) <= kAgrees * then;
  timeline["step_s"] = now;
  timeline["gpus"] = outcome.report.value("gpus", Inputs());
  timeline.update(events_of(sim::read_file(trace), kMostOperations));
  return timeline;
}

}  // namespace

Inputs events_of(std::string_view text, std::size_t most) {
  const Inputs trace = Inputs::parse(text);
  std::map<int, std::string> processes;
  std::map<std::pair<int, int>, std::string> streams;
  std::vector<Event> events;
  for (const Inputs& event : trace.at("traceEvents")) {
    const int pid = event.at("pid");
    if (event.at("name") == "process_name") {
      processes[pid] = event.at("args").at("name");
    } else if (event.at("ph") == "M") {
      streams[{pid, event.at("tid")}] = event.at("args").at("name");
    } else {
      const double start = event.at("ts"), duration = event.at("dur");
      events.push_back(
          {{pid, event.at("tid")}, event.at("name"), event.at("cat"), start, start + duration});
    }
  }
  std::ranges::stable_sort(
      events, {}, [](const Event& event) { return std::pair(event.track, event.start_us); });
  const std::size_t operations = events.size();
  const double fused_below_us = limit_to(most, events);

  Names tracks, names, phases;
  Inputs list = Inputs::array(), shown = Inputs::array();
  const auto micro = [](double us) { return std::round(us * 1000) / 1000; };
  for (const Event& event : events) {
    const std::size_t track =
        tracks.place_of(fmt::format("{}.{}", event.track.first, event.track.second));
    if (track == shown.size())
      shown.push_back({processes[event.track.first], streams[event.track]});
    list.push_back({track, names.place_of(event.name), phases.place_of(event.phase),
                    micro(event.start_us), micro(event.end_us - event.start_us)});
  }
  return {{"operations", operations}, {"fused_below_us", fused_below_us}, {"tracks", shown},
          {"names", names.list()},    {"phases", phases.list()},          {"events", list}};
}

Inputs timelines_of(const std::vector<StoredPoint>& points, const fs::path& folder) {
  const sim::sweep::Signals signals;
  const sim::Scratch scratch(sim::temporary_folder());
  const auto trace = [&](std::size_t point) {
    return scratch.path() / fmt::format("{}.json", point);
  };
  Progress progress("simulating timelines", static_cast<int>(points.size()));
  std::vector<Inputs> timelines(points.size());
  const sim::sweep::Tasks tasks{
      .count = points.size(),
      .at_once = usable_cores(),
      .folder = folder,
      .run = [&](std::size_t point) { return traced(points[point], trace(point)); },
      .started = [&] { progress.step(); }};
  const int signal = run_in_processes(tasks, signals, [&](const auto& ended) {
    for (const auto& [point, outcome] : ended) {
      timelines[point] = timeline_of(points[point], outcome, trace(point));
    }
  });
  if (signal != 0) throw sim::sweep::Stopped{signal};
  return timelines;
}

}  // namespace apps
