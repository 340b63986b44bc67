// SPDX-License-Identifier: Apache-2.0
// The timeline for Perfetto: a track a rank and stream, events that keep to it, and no gap.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "sim/report/writers.hpp"
#include "tests/report/sample_report.hpp"

namespace sim {
namespace {

using Json = nlohmann::json;
using Track = std::pair<int, int>;  // rank, stream

struct Event {
  double start_us;
  double end_us;
};

struct Trace {
  std::set<int> ranks;
  std::set<Track> tracks;
  std::map<Track, std::vector<Event>> events;
};

Trace parse_trace(const std::string& text) {
  Trace trace;
  const Json json = Json::parse(text);
  for (const Json& event : json.at("traceEvents")) {
    const int rank = event.at("pid");
    if (event.at("name") == "process_name") {
      EXPECT_TRUE(trace.ranks.insert(rank).second) << "rank " << rank << " is named twice";
      continue;
    }
    const Track track{rank, event.at("tid")};
    if (event.at("ph") == "M") {
      EXPECT_EQ(event.at("args").at("name"), stream_name(static_cast<Stream>(track.second)));
      EXPECT_TRUE(trace.tracks.insert(track).second) << "a track is named twice";
      continue;
    }
    EXPECT_EQ(event.at("ph"), "X");
    const double start = event.at("ts");
    trace.events[track].push_back({start, start + event.at("dur").get<double>()});
  }
  return trace;
}

Trace trace_of(const ReportedStep& step, int ranks = 0) {
  return parse_trace(to_perfetto(step.schedule, step.timeline, ranks));
}

// Decimal nanoseconds are not binary: sums of them differ by less than this.
constexpr double kRounding_us = 1e-6;

class Perfetto : public EveryScheme {};

TEST_P(Perfetto, HasOneTrackARankAndStream) {
  const Trace trace = trace_of(reported_step(small_cluster(), {}, scheme()));
  EXPECT_EQ(trace.ranks.size(), 8U);
  EXPECT_EQ(trace.tracks.size(), 8U * kStreams);
  for (const auto& [track, events] : trace.events) {
    EXPECT_TRUE(trace.tracks.contains(track)) << track.first << ", " << track.second;
  }
}

TEST_P(Perfetto, HasEventsOfATrackThatDoNotOverlap) {
  for (const Parallelism& parallelism : reported_settings()) {
    Trace trace = trace_of(reported_step(small_cluster(), parallelism, scheme()));
    for (auto& [track, events] : trace.events) {
      std::sort(events.begin(), events.end(),
                [](const Event& a, const Event& b) { return a.start_us < b.start_us; });
      for (std::size_t i = 1; i < events.size(); ++i) {
        EXPECT_GE(events[i].start_us, events[i - 1].end_us - kRounding_us)
            << "rank " << track.first << ", stream " << track.second;
      }
    }
  }
}

TEST_P(Perfetto, CoversTheStep) {
  for (const Parallelism& parallelism : reported_settings()) {
    const ReportedStep step = reported_step(small_cluster(), parallelism, scheme());
    std::vector<Event> all;
    for (const auto& [track, events] : trace_of(step).events) {
      all.insert(all.end(), events.begin(), events.end());
    }
    std::sort(all.begin(), all.end(),
              [](const Event& a, const Event& b) { return a.start_us < b.start_us; });
    double covered_us = 0;
    for (const Event& event : all) {
      EXPECT_LE(event.start_us, covered_us + kRounding_us) << "nothing runs before";
      covered_us = std::max(covered_us, event.end_us);
    }
    EXPECT_NEAR(covered_us, step.report.time_s * 1e6, 1e-3);
  }
}

// One of each kind of exchange: a trace has the schedule's operations, whatever they are.
std::vector<const Scheme*> kinds_of_exchange() {
  std::vector<const Scheme*> rows;
  for (const char* name : {"sharded", "sdp4bit", "zeropp", "int8_all_reduce", "power_sgd"}) {
    rows.push_back(&scheme_named(name));
  }
  return rows;
}

INSTANTIATE_TEST_SUITE_P(Schemes, Perfetto, testing::ValuesIn(kinds_of_exchange()), scheme_label);

TEST(PerfettoTimeline, HasAsManyRanksAsAreAskedFor) {
  const ReportedStep step = reported_step(small_cluster(), {}, scheme_named("sharded"));
  EXPECT_EQ(trace_of(step, 3).ranks, (std::set<int>{0, 1, 2}));
  EXPECT_EQ(trace_of(step, 100).ranks.size(), 8U);
  for (const auto& [track, events] : trace_of(step, 3).events) EXPECT_LT(track.first, 3);
}

// Perfetto's JSON importer drops events that lack a field, have another type or a negative time, and
// its UI sorts processes by name.
TEST(PerfettoTimeline, KeepsToTheTraceEventFormat) {
  const Cluster cluster = small_cluster(2, 8);
  const ReportedStep step = reported_step(cluster, {}, scheme_named("sdp4bit"));
  const Json json = Json::parse(to_perfetto(step.schedule, step.timeline));
  EXPECT_EQ(json.at("displayTimeUnit"), "ms");
  std::vector<std::string> processes;
  std::set<Track> named, used;
  for (const Json& event : json.at("traceEvents")) {
    ASSERT_TRUE(event.at("name").is_string() && event.at("pid").is_number_unsigned()) << event;
    if (event.at("name") == "process_name") {
      processes.push_back(event.at("args").at("name"));
      continue;
    }
    ASSERT_TRUE(event.at("tid").is_number_unsigned()) << event;
    const Track track{event.at("pid"), event.at("tid")};
    if (event.at("ph") == "M") {
      named.insert(track);
      continue;
    }
    used.insert(track);
    ASSERT_TRUE(event.at("cat").is_string() && event.at("ts").is_number()) << event;
    EXPECT_GE(event.at("ts"), 0) << event;
    EXPECT_GT(event.at("dur"), 0) << event;
  }
  EXPECT_TRUE(std::ranges::includes(named, used));
  ASSERT_EQ(processes.size(), 16u);
  EXPECT_TRUE(std::ranges::is_sorted(processes));
  EXPECT_EQ(processes.front(), "rank 00");
}

TEST(PerfettoTimeline, LeavesOutWhatNeverEnded) {
  ReportedStep step = reported_step(small_cluster(), {}, scheme_named("sharded"));
  const Timeline whole = step.timeline;
  step.timeline = simulate(step.schedule, small_cluster(),
                           {.time_limit = Seconds::from_base(whole.makespan_s / 2)});
  for (const auto& [track, events] : trace_of(step).events) {
    for (const Event& event : events) EXPECT_LE(event.end_us, whole.makespan_s * 1e6 / 2 + 1e-3);
  }
}

TEST(PerfettoTimeline, SpellsLabelsAsJson) {
  ScheduleBuilder builder(1);
  builder.work(0, Stream::compute, Phase::forward, "a \"b\" \\ \n", 1, 0);
  const Schedule schedule = std::move(builder).finish();
  const Json json =
      Json::parse(to_perfetto(schedule, {.start_s = {0}, .end_s = {1}, .makespan_s = 1}));
  EXPECT_EQ(json.at("traceEvents").back().at("name"), "a \"b\" \\ \n");
}

}  // namespace
}  // namespace sim
