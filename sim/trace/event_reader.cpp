// SPDX-License-Identifier: Apache-2.0
#include "sim/trace/event_reader.hpp"

#include <fmt/format.h>

#include <cmath>

#include "sim/base/error.hpp"
#include "sim/base/json_events.hpp"
#include "sim/base/printable.hpp"

namespace sim::trace {
namespace {

constexpr std::string_view kEvents = "traceEvents";

// Where a value stands is `depth_`, the number of objects and lists around it, and the last key of each
// of the outer three.
class EventHandler : public rapidjson::BaseReaderHandler<rapidjson::UTF8<>, EventHandler> {
 public:
  EventHandler(std::string file, const std::function<void(const Event&)>& take)
      : file_(std::move(file)), take_(take) {}

  [[nodiscard]] const TraceHeader& header() const { return header_; }
  [[nodiscard]] bool has_events() const { return events_depth_ >= 0; }

  bool StartObject() {
    if (depth_ == events_depth_) {
      event_ = {};
      event_.place = next_event_++;
    }
    return enter();
  }
  bool EndObject(unsigned) {
    leave();
    if (depth_ == events_depth_) take_(event_);
    return true;
  }
  bool StartArray() {
    const bool is_root = depth_ == 0;
    const bool is_listed = depth_ == 1 && keys_[1] == kEvents && !root_is_list_;
    if (is_root || is_listed) {
      if (has_events()) throw InputError(fmt::format("{}: /{}: appears twice", file_, kEvents));
      root_is_list_ = is_root;
      events_depth_ = depth_ + 1;
    }
    return enter();
  }
  bool EndArray(unsigned) {
    leave();
    // Further lists are no events.
    if (depth_ == events_depth_ - 1) events_depth_ = kClosed;
    return true;
  }
  bool Key(const char* name, unsigned size, bool) {
    if (static_cast<std::size_t>(depth_) < std::size(keys_)) keys_[depth_].assign(name, size);
    return true;
  }
  bool String(const char* text, unsigned size, bool) {
    const std::string_view value(text, size);
    if (in_event()) {
      if (is("ph")) event_.phase = value;
      if (is("cat")) event_.category = value;
      if (is("name")) event_.name = value;
    } else if (depth_ == 3 && keys_[1] == "deviceProperties" && keys_[3] == "name" &&
               header_.device.empty()) {
      header_.device = printable_line(value, 100);
    }
    return true;
  }
  bool Int(int value) { return whole(value); }
  bool Uint(unsigned value) { return whole(value); }
  bool Int64(std::int64_t value) { return whole(value); }
  bool Uint64(std::uint64_t value) {
    if (value > static_cast<std::uint64_t>(INT64_MAX)) return real(static_cast<double>(value));
    return whole(static_cast<std::int64_t>(value));
  }
  bool Double(double value) { return real(value); }

 private:
  static constexpr int kClosed = 1 << 20;

  bool enter() {
    ++depth_;
    if (static_cast<std::size_t>(depth_) < std::size(keys_)) keys_[depth_].clear();
    return true;
  }
  void leave() { --depth_; }
  [[nodiscard]] bool in_event() const { return depth_ == events_depth_ + 1; }
  [[nodiscard]] bool in_arguments() const {
    return depth_ == events_depth_ + 2 && keys_[depth_ - 1] == "args";
  }
  [[nodiscard]] bool is(std::string_view name) const { return keys_[depth_] == name; }

  bool real(double value) {
    if (!in_event() || !std::isfinite(value)) return true;
    if (is("ts")) event_.start_us = value;
    if (is("dur")) event_.duration_us = value;
    return true;
  }
  bool whole(std::int64_t value) {
    if (in_event()) {
      if (is("pid")) event_.process = value;
      if (is("tid")) event_.thread = value;
      return real(static_cast<double>(value));
    }
    if (in_arguments()) {
      if (is("stream")) event_.stream = value;
      if (is("device")) event_.device = value;
      if (is("correlation")) event_.correlation = value;
    } else if (depth_ == 2 && keys_[1] == "distributedInfo") {
      if (is("rank")) header_.rank = value;
      if (is("world_size")) header_.ranks = value;
    }
    return true;
  }

  std::string file_;
  const std::function<void(const Event&)>& take_;
  TraceHeader header_;
  Event event_;
  std::size_t next_event_ = 0;
  int depth_ = 0;
  int events_depth_ = -1;  // of the values in the list of events; before and after it none's
  bool root_is_list_ = false;
  std::string keys_[6];  // by depth, from 1
};

}  // namespace

TraceHeader read_events(std::string_view text, const std::filesystem::path& file,
                        const std::function<void(const Event&)>& take) {
  const std::string name = printable_path(file);
  EventHandler handler(name, take);
  tell_json(text, name, handler, NotFinite::read);
  if (!handler.has_events()) {
    throw InputError(
        fmt::format("{}: has no list {}; give what torch.profiler's export_chrome_trace writes",
                    name, kEvents));
  }
  return handler.header();
}

}  // namespace sim::trace
