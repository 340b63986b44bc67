// SPDX-License-Identifier: Apache-2.0
#include "apps/report_page/timelines.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <string>
#include <utility>

#include "apps/progress.hpp"
#include "apps/scratch.hpp"
#include "apps/sweep/outcome.hpp"
#include "apps/sweep/shard.hpp"
#include "apps/sweep/workers.hpp"
#include "sim/base/file.hpp"

namespace apps {
namespace {

namespace fs = std::filesystem;

constexpr int kSitesShown = 4;
constexpr std::chrono::milliseconds kBeat{200};  // of looking for signals
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

Arguments traced(const StoredPoint& point, const fs::path& trace) {
  const bool sites = point.finished.report.contains("sites");
  Arguments arguments = arguments_of(point.inputs);
  arguments.emplace_back("--format=json");
  arguments.emplace_back("--jobs=1");
  if (!point.inputs.contains("range")) arguments.emplace_back("--range=off");
  arguments.push_back("--perfetto=" + trace.string());
  arguments.push_back(fmt::format("--perfetto-ranks={}", sites ? kSitesShown : 1));
  return arguments;
}

// The time that a timeline spans: of several sites the round's.
double span_of(const Inputs& report) {
  const Inputs step = report.value("step_time_s", Inputs());
  const Inputs round = report.value("round_time_s", step);
  return round.is_number() ? round.get<double>() : 0;
}

Inputs timeline_of(const StoredPoint& point, const Ended& ended, const fs::path& trace) {
  Inputs timeline = {{"number", point.number}};
  const Finished finished = outcome_of(ended);
  if (finished.report.is_null()) {
    timeline["problem"] = finished.message;
    return timeline;
  }
  const double now = span_of(finished.report), then = span_of(point.finished.report);
  timeline["agrees"] = std::abs(now - then) <= kAgrees * then;
  timeline["step_s"] = now;
  timeline["gpus"] = finished.report.value("gpus", Inputs());
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
  const Signals signals;
  const Scratch scratch(temporary_folder());
  const auto trace = [&](std::size_t point) {
    return scratch.path() / fmt::format("{}.json", point);
  };
  Progress progress("simulating timelines", static_cast<int>(points.size()));
  Workers workers(signals, usable_cores(), folder);
  std::vector<Inputs> timelines(points.size());
  std::size_t next = 0;
  do {
    for (; next < points.size() && workers.has_room(); ++next) {
      progress.step();
      workers.start(next, traced(points[next], trace(next)));
    }
    signals.wait_or_stop(kBeat);
    for (const Ended& ended : workers.take_ended()) {
      timelines[ended.tag] = timeline_of(points[ended.tag], ended, trace(ended.tag));
    }
  } while (!workers.is_idle() || next < points.size());
  return timelines;
}

}  // namespace apps
