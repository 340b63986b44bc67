// SPDX-License-Identifier: Apache-2.0
// The text of nccl-tests, line by line (its src/common.cu prints it).
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

#include "sim/base/error.hpp"
#include "sim/base/names.hpp"
#include "sim/base/number_text.hpp"
#include "sim/base/printable.hpp"
#include "sim/base/quantity_text.hpp"
#include "sim/fit/log.hpp"
#include "sim/fit/log_line.hpp"
#include "sim/fit/rank_list.hpp"
#include "sim/fit/test_table.hpp"

namespace sim::fit {
namespace {

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

// The word after `name`, or nothing.
std::string_view after(const Words& words, std::string_view name) {
  const auto found = std::ranges::find(words, name);
  if (found == words.end() || std::next(found) == words.end()) return {};
  return *std::next(found);
}

// The most threads of a process, and GPUs of a thread.
constexpr int kMostPerProcess = 1024;
constexpr int kMostRanks = 1 << 20;

constexpr const char* kAlone =
    "a second test prints before the first one ends; if nccl-tests was built without MPI, each "
    "process ran alone: build it with MPI=1";

class NcclTestsReader {
 public:
  NcclTestsReader(const std::filesystem::path& file, const CollectiveRow* unnamed)
      : file_(printable_path(file)), named_(unnamed) {}

  void line(std::string_view text) {
    ++number_;
    const std::optional<std::string> own = after_tag(text, tag_);
    if (own || !running_) name_program(text);
    if (const auto described = test_comment_in(text)) return describe(*described);
    if (!own) {
      if (table_) ++skipped_;
      return;
    }
    if (own->starts_with('#')) return comment(words_of(std::string_view(*own).substr(1)));
    const Words words = words_of(*own);
    if (is_elision(words)) return elide();
    if (!table_) {  // before and after the rows anything may stand, except for further rows
      if (ended_ && ended_->is_row(words)) fail(kAlone);
      return;
    }
    if (words.empty()) return;
    if (own->find("NCCL ") != std::string::npos) return;
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
  [[nodiscard]] std::string place() const { return fmt::format("{}:{}:1: ", file_, number_); }
  [[noreturn]] void fail(const std::string& what) const { throw InputError(place() + what); }

  // "# Collective test starting: all_reduce_perf" of recent versions, or a command that a script
  // printed.
  void name_program(std::string_view text) {
    constexpr std::string_view kSuffix = "_perf";
    const std::size_t end = text.find(kSuffix);
    if (end == std::string_view::npos || text.find("concluded") != std::string_view::npos) return;
    const std::size_t begin = text.find_last_of(" \t/:]>|='\"", end) + 1;
    const std::string_view program = text.substr(begin, end + kSuffix.size() - begin);
    const auto name = value_named(program, std::span<const EnumName<std::string_view>>(kPrograms));
    if (!name) return;
    if (name->empty()) {
      fail(
          fmt::format("{}: cannot be fitted; give logs of all_reduce_perf, all_gather_perf, "
                      "reduce_scatter_perf or alltoall_perf",
                      program));
    }
    if (!log_.times.empty()) end_run();
    named_ = &collective_named(*name);
  }

  void describe(const TestComment& comment) {
    const Words& words = comment.words;
    if (words.front() == "nThread") return begin_run(comment);
    if (running_ && comment.tag != tag_) {
      fail(
          fmt::format("'{}' stands before this line, but '{}' before the first one of the test; "
                      "remove what stands before each line",
                      printable(comment.tag), printable(tag_)));
    }
    tag_ = comment.tag;
    running_ = true;
    if (words.front() == "Rank") {
      device(words);
    } else if (words.front() == "size") {
      begin_rows(words);
    } else if (table_ && std::ranges::find(words, "(us)") == words.end()) {
      fail("times are not in us; print them in us");
    }
  }

  void begin_run(const TestComment& comment) {
    const bool has_times = !log_.times.empty();
    if (running_ && (comment.tag != tag_ || !has_ranks_ || (table_ && !has_times))) fail(kAlone);
    end_run();
    tag_ = comment.tag;
    running_ = true;
    has_ranks_ = false;
    ranks_.clear();
    threads_ = per_process(comment.words, "nThread").value_or(1);
    gpus_ = per_process(comment.words, "nGpus").value_or(0);
  }

  [[nodiscard]] std::optional<int> per_process(const Words& words, std::string_view name) const {
    const auto count = number_in<int>(after(words, name));
    if (count && (*count < 1 || *count > kMostPerProcess)) {
      fail(fmt::format("{}: {} is not from 1 to {}; print the line whole", name, *count,
                       kMostPerProcess));
    }
    return count;
  }

  // "#  Rank  0 Group  0 Pid  4711 on  node-1 device  0 [0x07] NVIDIA H100 80GB HBM3"
  void device(const Words& words) {
    const auto rank = number_in<int>(words[1]);
    const std::string_view host = after(words, "on");
    if (!rank || *rank < 0 || *rank >= kMostRanks || host.empty()) {
      fail("a line of a rank without its number and host; print it whole");
    }
    if (const auto group = after(words, "Group"); !group.empty() && group != "0") {
      fail("several groups of ranks ran at once; run the test without NCCL_TESTS_SPLIT");
    }
    if (was_listed_) ranks_.clear();
    if (*rank == 0 && !ranks_.empty()) fail(kAlone);
    const int least = ranks_.empty() ? 0 : ranks_.back().rank + 1;
    if (*rank < least || (ranks_.empty() && *rank > 0)) {
      fail(
          fmt::format("rank {} follows {}; list the ranks in order, and if each process listed its "
                      "own, build nccl-tests with MPI=1",
                      *rank, ranks_.empty() ? "none" : fmt::format("rank {}", least - 1)));
    }
    ranks_.push_back({*rank, std::string(host), number_in<int>(after(words, "device"))});
    has_ranks_ = true;
    was_listed_ = is_cut_ = false;
  }

  void elide() { is_cut_ = !table_ && !ranks_.empty(); }

  void begin_rows(const Words& words) {
    if (table_ && log_.times.empty()) fail(kAlone);
    if (table_) end_run();
    TestTable table(words, place());
    const Machine machine = machine_listed();
    if (named_ == nullptr) {
      throw InputError(fmt::format(
          "`collective`: {} does not name its program (all_reduce_perf, ...); name the collective",
          file_));
    }
    log_ = {.name = file_,
            .collective = named_,
            .nodes = machine.nodes,
            .gpus_per_node = machine.gpus_per_node};
    table_ = std::move(table);
    ended_.reset();
    running_ = has_ranks_ = was_listed_ = true;
  }

  [[nodiscard]] Machine machine_listed() const {
    if (is_cut_) fail("the last ranks are not listed above; list the last one");
    const Machine machine =
        ranks_.empty() ? Machine{1, threads_ * gpus_} : machine_of(ranks_, place());
    const int gpus = machine.nodes * machine.gpus_per_node;
    if (gpus == 1) {
      fail(
          "the test ran on a single GPU, without others to communicate with; if it was started as "
          "several processes, nccl-tests was built without MPI: build it with MPI=1");
    }
    if (gpus == 0) fail("no line above lists the GPUs; keep the lines from # nThread on");
    return machine;
  }

  void row(const Words& words) {
    const std::optional<TestRow> row = table_->row(words, log_, place());
    if (!row) return;
    check_time(row->time, place());
    if (row->inexact && unjudged_.empty()) unjudged_ = place();
    log_.times.push_back(row->time);
  }

  // "# Out of bounds values : 0 OK" judges the rows above it.
  void comment(const Words& words) {
    if (words.empty()) return;
    if (is_elision(words)) return elide();
    if (words.front() == "Out") {
      if (number_in<double>(after(words, ":")).value_or(0) > 0 || words.back() == "FAILED") {
        fail("the collective's results were wrong; run the test again");
      }
      unjudged_.clear();
    }
    if (!log_.times.empty()) end_run();
  }

  void end_run() {
    if (!unjudged_.empty()) {
      throw InputError(unjudged_ +
                       "error: is above 0, and no line \"# Out of bounds values\" below says "
                       "whether the results are right; give the whole log");
    }
    if (table_ && log_.times.empty()) {
      fail(skipped_ > 0 ? fmt::format("no row of times begins with '{}' as the column names do; "
                                      "remove what stands before each line",
                                      printable(tag_))
                        : "no times below the line of column names; give the whole log");
    }
    if (table_) {
      logs_.push_back(std::move(log_));
      ended_ = std::move(table_);
    }
    log_ = {};
    table_.reset();
    running_ = false;
    skipped_ = 0;
  }

  std::string file_;
  const CollectiveRow* named_ = nullptr;
  int number_ = 0;
  std::string tag_;                 // of the process that prints the run
  bool running_ = false;            // between a run's first line and the end of its rows
  int threads_ = 1, gpus_ = 0;      // of a process
  std::vector<ListedRank> ranks_;   // of the run, or of the last one that listed them
  bool has_ranks_ = false;          // or rows, since # nThread
  bool was_listed_ = false;         // a table has followed the ranks
  bool is_cut_ = false;             // ranks are left out after the last one listed
  std::optional<TestTable> table_;  // whose rows are being read
  std::optional<TestTable> ended_;  // the last one
  std::string unjudged_;            // place of a row that may be wrong
  int skipped_ = 0;                 // lines with other tags among the rows
  Log log_;
  std::vector<Log> logs_;
};

}  // namespace

std::vector<Log> parse_nccl_tests(std::string_view text, const std::filesystem::path& file,
                                  const CollectiveRow* unnamed) {
  constexpr std::string_view kByteOrderMark = "\xef\xbb\xbf";
  if (text.starts_with(kByteOrderMark)) text.remove_prefix(kByteOrderMark.size());
  NcclTestsReader reader(file, unnamed);
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    reader.line(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return reader.finish();
}

}  // namespace sim::fit
