#include <fmt/format.h>

#include <cmath>
#include <iterator>
#include <nlohmann/json.hpp>

#include "sim/report/writers.hpp"

namespace sim {

std::string to_perfetto(const Schedule& schedule, const Timeline& timeline, int ranks) {
  const int shown = ranks > 0 ? std::min(ranks, schedule.ranks) : schedule.ranks;
  std::string text = "{\"displayTimeUnit\":\"ms\",\"traceEvents\":[\n";
  auto out = std::back_inserter(text);
  const char* separator = "";
  for (int rank = 0; rank < shown; ++rank) {
    fmt::format_to(out,
                   "{}{{\"ph\":\"M\",\"name\":\"process_name\",\"pid\":{},\"args\":{{\"name\":"
                   "\"rank {}\"}}}}",
                   separator, rank, rank);
    separator = ",\n";
    for (int stream = 0; stream < kStreams; ++stream) {
      fmt::format_to(out,
                     ",\n{{\"ph\":\"M\",\"name\":\"thread_name\",\"pid\":{},\"tid\":{},\"args\":{{"
                     "\"name\":\"{}\"}}}}",
                     rank, stream, stream_name(static_cast<Stream>(stream)));
    }
  }
  for (std::size_t id = 0; id < schedule.operations.size(); ++id) {
    const Operation& operation = schedule.operations[id];
    const double duration_s = timeline.end_s[id] - timeline.start_s[id];
    if (operation.rank < 0 || operation.rank >= shown || !(duration_s > 0)) continue;
    // Microseconds, with enough digits for a nanosecond.
    fmt::format_to(
        out,
        ",\n{{\"ph\":\"X\",\"name\":{},\"cat\":\"{}\",\"pid\":{},\"tid\":{},\"ts\":{:.3f},"
        "\"dur\":{:.3f}}}",
        nlohmann::json(schedule.labels[operation.label]).dump(), phase_name(operation.phase),
        operation.rank, static_cast<int>(operation.stream), timeline.start_s[id] * 1e6,
        duration_s * 1e6);
  }
  return text + "\n]}\n";
}

}  // namespace sim
