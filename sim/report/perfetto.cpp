// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <string>

#include "sim/report/writers.hpp"

namespace sim {
namespace {

std::string quoted(const std::string& text) { return nlohmann::ordered_json(text).dump(); }

// "rank 008", or "rank 008, as 63 others".
std::string name_of(const std::string& name, const std::vector<int>& alike) {
  return alike.size() == 1 ? name : fmt::format("{}, as {} others", name, alike.size() - 1);
}

// The ranks up to the last one of so many that stand for themselves or others; 0: all.
int ranks_until(const Schedule& schedule, int most) {
  int rank = 0;
  for (int shown = 0; rank < schedule.ranks && (most == 0 || shown < most); ++rank) {
    if (!schedule.alike[static_cast<std::size_t>(rank)].empty()) ++shown;
  }
  return rank;
}

// Of the names of the schedule's first ranks.
std::size_t most_digits(const Schedule& schedule, int ranks) {
  int last = 0;
  for (int rank = 0; rank < ranks; ++rank) {
    const std::vector<int>& alike = schedule.alike[static_cast<std::size_t>(rank)];
    if (!alike.empty()) last = std::max(last, alike.front());
  }
  return std::to_string(last).size();
}

}  // namespace

std::string to_perfetto(const Schedule& schedule, const Timeline& timeline, int ranks,
                        std::span<const std::string> names) {
  const int shown = ranks_until(schedule, ranks);
  std::string text = "{\"displayTimeUnit\":\"ms\",\"traceEvents\":[\n";
  // Perfetto sorts processes by name: with as many digits rank 10 is not before rank 2.
  const std::size_t digits = most_digits(schedule, shown);
  const char* separator = "";
  for (int rank = 0; rank < shown; ++rank) {
    const auto place = static_cast<std::size_t>(rank);
    const std::vector<int>& alike = schedule.alike[place];
    if (alike.empty()) continue;
    const std::string name = name_of(
        names.empty() ? fmt::format("rank {:0{}}", alike.front(), digits) : names[place], alike);
    text += fmt::format(
        "{}{{\"ph\":\"M\",\"name\":\"process_name\",\"pid\":{},\"args\":{{\"name\":"
        "{}}}}}",
        separator, rank, quoted(name));
    separator = ",\n";
    for (int stream = 0; stream < kStreams; ++stream) {
      text += fmt::format(
          ",\n{{\"ph\":\"M\",\"name\":\"thread_name\",\"pid\":{},\"tid\":{},\"args\":{{"
          "\"name\":\"{}\"}}}}",
          rank, stream, stream_name(static_cast<Stream>(stream)));
    }
  }
  for (std::size_t id = 0; id < schedule.operations.size(); ++id) {
    const Operation& operation = schedule.operations[id];
    if (operation.rank < 0 || operation.rank >= shown || std::isnan(timeline.end_s[id])) continue;
    // Both ends in whole nanoseconds, so that an event ends where the next one of its track begins.
    const auto start_ns = std::llround(timeline.start_s[id] * 1e9);
    const auto duration_ns = std::llround(timeline.end_s[id] * 1e9) - start_ns;
    if (duration_ns <= 0) continue;
    text += fmt::format(
        ",\n{{\"ph\":\"X\",\"name\":{},\"cat\":\"{}\",\"pid\":{},\"tid\":{},\"ts\":{:.3f},"
        "\"dur\":{:.3f}}}",
        quoted(schedule.labels[operation.label]), phase_name(operation.phase), operation.rank,
        static_cast<int>(operation.stream), static_cast<double>(start_ns) / 1e3,
        static_cast<double>(duration_ns) / 1e3);
  }
  return text + "\n]}\n";
}

}  // namespace sim
