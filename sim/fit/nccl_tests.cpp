// SPDX-License-Identifier: Apache-2.0
// The text of nccl-tests, line by line (its src/common.cu prints it).
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <map>
#include <optional>
#include <utility>

#include "sim/base/error.hpp"
#include "sim/base/names.hpp"
#include "sim/base/printable.hpp"
#include "sim/base/quantity_text.hpp"
#include "sim/fit/log.hpp"

namespace sim::fit {
namespace {

using Words = std::vector<std::string_view>;

// Programs of nccl-tests; without a collective, those that no cost function describes.
constexpr EnumName<std::string_view> kPrograms[] = {{"all_reduce_perf", "all_reduce"},
                                                    {"all_gather_perf", "all_gather"},
                                                    {"reduce_scatter_perf", "reduce_scatter"},
                                                    {"alltoall_perf", "all_to_all"},
                                                    {"broadcast_perf", ""},
                                                    {"reduce_perf", ""},
                                                    {"gather_perf", ""},
                                                    {"scatter_perf", ""},
                                                    {"sendrecv_perf", ""},
                                                    {"hypercube_perf", ""}};

Words words_of(std::string_view line) {
  constexpr std::string_view kBlanks = " \t\r";
  Words words;
  for (std::size_t begin = line.find_first_not_of(kBlanks); begin != std::string_view::npos;
       begin = line.find_first_not_of(kBlanks, begin)) {
    const std::size_t end = std::min(line.find_first_of(kBlanks, begin), line.size());
    words.push_back(line.substr(begin, end - begin));
    begin = end;
  }
  return words;
}

template <class T>
std::optional<T> number_of(std::string_view word) {
  T value{};
  const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), value);
  if (error != std::errc() || end != word.data() + word.size()) return std::nullopt;
  return value;
}

// The word after `name`, or nothing.
std::string_view after(const Words& words, std::string_view name) {
  const auto found = std::ranges::find(words, name);
  if (found == words.end() || std::next(found) == words.end()) return {};
  return *std::next(found);
}

// Printed figures are rounded, and so are their quotients.
bool agree(double printed, double expected) {
  constexpr double kHalfLastDigit = 0.006, kRounded = 0.01;
  return std::abs(printed - expected) <= kHalfLastDigit + kRounded * expected;
}

class NcclTestsReader {
 public:
  NcclTestsReader(const std::filesystem::path& file, const CollectiveRow* unnamed)
      : file_(printable_path(file)), named_(unnamed) {}

  void line(std::string_view text) {
    ++number_;
    name_program(text);
    if (text.starts_with('#')) return comment(words_of(text.substr(1)), text);
    const Words words = words_of(text);
    if (columns_.empty() || words.empty()) return;  // before and after the rows anything may stand
    if (text.find("NCCL ") != std::string_view::npos) return;
    row(words);
  }

  std::vector<Log> finish() {
    end_run();
    if (logs_.empty()) {
      throw InputError(file_ +
                       ": has no line of column names (# size count type ... time algbw busbw); "
                       "give the output of nccl-tests");
    }
    return std::move(logs_);
  }

 private:
  [[noreturn]] void fail(const std::string& what) const {
    throw InputError(fmt::format("{}:{}:1: {}", file_, number_, what));
  }

  // "# Collective test starting: all_reduce_perf" of recent versions, or a command that a script
  // printed.
  void name_program(std::string_view text) {
    constexpr std::string_view kSuffix = "_perf";
    const std::size_t end = text.find(kSuffix);
    if (end == std::string_view::npos || text.find("concluded") != std::string_view::npos) return;
    const std::size_t begin = text.find_last_of(" \t/:", end) + 1;
    const std::string_view program = text.substr(begin, end + kSuffix.size() - begin);
    const auto name = value_named(program, std::span<const EnumName<std::string_view>>(kPrograms));
    if (!name) return;
    if (name->empty()) {
      fail(
          fmt::format("{}: cannot be fitted; give logs of all_reduce_perf, all_gather_perf, "
                      "reduce_scatter_perf or alltoall_perf",
                      program));
    }
    end_run();
    named_ = &collective_named(*name);
  }

  void comment(const Words& words, std::string_view text) {
    if (words.empty()) return;
    if (words.front() == "nThread") {
      end_run();
      threads_ = number_of<int>(after(words, "nThread")).value_or(1);
      gpus_ = number_of<int>(after(words, "nGpus")).value_or(0);
    } else if (words.front() == "Rank") {
      device(words);
    } else if (words.front() == "size") {
      begin_rows(words);
    } else if (!columns_.empty() && words.front() == "(B)") {
      if (text.find("(us)") == std::string_view::npos)
        fail("times are not in us; print them in us");
    } else if (!log_.times.empty()) {
      end_run();
    }
  }

  // "#  Rank  0 Group  0 Pid  4711 on  node-1 device  0 [0x07] NVIDIA H100 80GB HBM3"
  void device(const Words& words) {
    const auto rank = number_of<int>(words.size() > 1 ? words[1] : "");
    const std::string_view host = after(words, "on");
    if (!rank || host.empty()) fail("a line of a rank without its number and host; print it whole");
    if (*rank == 0) hosts_.clear();
    if (*rank != ranks_on_hosts()) {
      fail(fmt::format("rank {} follows {} ranks; print all ranks in order", *rank,
                       ranks_on_hosts()));
    }
    if (const auto group = after(words, "Group"); !group.empty() && group != "0") {
      fail("several groups of ranks ran at once; run the test without NCCL_TESTS_SPLIT");
    }
    ++hosts_[std::string(host)];
  }

  [[nodiscard]] int ranks_on_hosts() const {
    int ranks = 0;
    for (const auto& [host, count] : hosts_) ranks += count;
    return ranks;
  }

  void begin_rows(const Words& words) {
    if (!columns_.empty()) end_run();
    constexpr std::string_view kNeeded[] = {"time", "algbw", "busbw"};
    const auto time = std::ranges::find(words, kNeeded[0]);
    if (words.end() - time < std::ssize(kNeeded) ||
        !std::equal(std::begin(kNeeded), std::end(kNeeded), time)) {
      fail("no columns time, algbw and busbw side by side; print all columns of nccl-tests");
    }
    columns_.assign(words.begin(), words.end());
    if (named_ == nullptr) {
      throw InputError(fmt::format(
          "`collective`: {} does not name its program (all_reduce_perf, ...); name the collective",
          file_));
    }
    log_ = {.name = file_, .collective = named_};
    take_machine();
  }

  void take_machine() {
    log_.gpus_per_node = threads_ * gpus_;
    if (!hosts_.empty()) {
      log_.nodes = static_cast<int>(hosts_.size());
      log_.gpus_per_node = hosts_.begin()->second;
      for (const auto& [host, count] : hosts_) {
        if (count == log_.gpus_per_node) continue;
        fail(fmt::format("hosts have {} and {} GPUs; run the test on equally many GPUs of each",
                         log_.gpus_per_node, count));
      }
    }
    if (log_.gpus() < 2) {
      fail("the lines above list fewer than two GPUs; keep the lines from # nThread on");
    }
  }

  // The column's value in a row. The first of equal names is out of place.
  [[nodiscard]] std::string_view in(const Words& words, std::string_view column) const {
    const auto found = std::ranges::find(columns_, column);
    return words[static_cast<std::size_t>(found - columns_.begin())];
  }

  [[nodiscard]] double number_in(const Words& words, std::string_view column) const {
    const auto value = number_of<double>(in(words, column));
    if (!value || !std::isfinite(*value) || *value < 0) {
      fail(fmt::format("{}: '{}' is not a number of 0 or more; run the test again", column,
                       printable(in(words, column))));
    }
    return *value;
  }

  void row(const Words& words) {
    if (words.size() != columns_.size()) {
      fail(fmt::format("has {} of {} columns; if the log is cut off here, remove the line",
                       words.size(), columns_.size()));
    }
    const double bytes = number_in(words, "size");
    const double us = number_in(words, "time");
    if (bytes == 0) return;  // too small to give each rank an element
    if (us == 0) fail("time: is 0; run the test again");
    for (const char* column : {"#wrong", "error"}) {
      if (std::ranges::find(columns_, column) == columns_.end()) continue;
      const std::string_view wrong = in(words, column);
      if (number_of<double>(wrong).value_or(0) > 0) {
        fail("the collective's results were wrong; run the test again");
      }
    }
    check_bandwidths(words, bytes, us);
    log_.times.push_back({bytes, us * 1e-6});
  }

  void check_bandwidths(const Words& words, double bytes, double us) const {
    const double algorithm_GBps = number_in(words, "algbw");
    if (!agree(algorithm_GBps, bytes / us * 1e-3)) {
      fail(fmt::format("algbw: {} is not {} B in {} us; run the test again", in(words, "algbw"),
                       in(words, "size"), in(words, "time")));
    }
    const double bus_GBps = bytes / us * 1e-3 * log_.collective->sent_share(log_.gpus());
    if (agree(number_in(words, "busbw"), bus_GBps)) return;
    fail(
        fmt::format("busbw: {} is not that of {} on {} GPUs; keep the lines that list all ranks "
                    "and name the program",
                    in(words, "busbw"), log_.collective->name, log_.gpus()));
  }

  void end_run() {
    if (!columns_.empty()) {
      if (log_.times.empty()) fail("no times below the line of column names; give the whole log");
      logs_.push_back(std::move(log_));
    }
    log_ = {};
    columns_.clear();
  }

  std::string file_;
  const CollectiveRow* named_ = nullptr;
  int number_ = 0;
  int threads_ = 1, gpus_ = 0;        // of a process
  std::map<std::string, int> hosts_;  // ranks of each
  std::vector<std::string> columns_;  // of the run whose rows are being read
  Log log_;
  std::vector<Log> logs_;
};

}  // namespace

std::vector<Log> parse_nccl_tests(std::string_view text, const std::filesystem::path& file,
                                  const CollectiveRow* unnamed) {
  NcclTestsReader reader(file, unnamed);
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    reader.line(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return reader.finish();
}

}  // namespace sim::fit
