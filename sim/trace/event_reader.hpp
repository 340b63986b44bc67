// SPDX-License-Identifier: Apache-2.0
// The events of a Chrome trace that count, read one by one: traces hold millions, most of them of no
// interest here.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

namespace sim::trace {

// An event with its time; what it lacks is empty.
struct Event {
  std::size_t place = 0;  // in the list of events
  std::string phase, category, name;
  std::optional<double> start_us, duration_us;  // finite
  std::optional<std::int64_t> process, thread;  // where they are whole numbers
  // Of its arguments.
  std::optional<std::int64_t> stream, device, correlation;
};

// What a file says besides events.
struct TraceHeader {
  std::string device;
  std::optional<std::int64_t> rank, ranks;
};

// Calls `take` for each event, in the file's order. Throws an InputError that names the file if it is
// not JSON, or is neither a list of events nor an object with one; and what `take` throws.
[[nodiscard]] TraceHeader read_events(std::string_view text, const std::filesystem::path& file,
                                      const std::function<void(const Event&)>& take);

}  // namespace sim::trace
