// SPDX-License-Identifier: Apache-2.0
#include "sim/fit/topo_table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <utility>

#include "sim/base/error.hpp"
#include "sim/base/printable.hpp"
#include "sim/base/quantity_text.hpp"

namespace sim::fit {
namespace {

std::string without_escapes(std::string_view text) {
  std::string plain;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '\x1b') {
      plain += text[i] == '\t' || text[i] == '\r' ? ' ' : text[i];
      continue;
    }
    while (i < text.size() && text[i] != 'm') ++i;  // a colour or an underline
  }
  return plain;
}

std::vector<std::string> topo_words(std::string_view line) {
  const std::string plain = without_escapes(line);
  std::vector<std::string> words;
  for (std::size_t begin = plain.find_first_not_of(' '); begin != std::string::npos;
       begin = plain.find_first_not_of(' ', begin)) {
    const std::size_t end = std::min(plain.find(' ', begin), plain.size());
    words.push_back(plain.substr(begin, end - begin));
    begin = end;
  }
  return words;
}

bool is_gpu(std::string_view name) {
  return name.starts_with("GPU") && name.size() > 3 &&
         std::all_of(name.begin() + 3, name.end(), [](char c) { return c >= '0' && c <= '9'; });
}

bool is_cell(std::string_view cell) {
  return cell == "X" || nvlinks_of(cell) || std::ranges::find(kWays, cell) != std::end(kWays);
}

class TopoReader {
 public:
  explicit TopoReader(const std::filesystem::path& file) { table_.file = printable_path(file); }

  TopoTable read(std::string_view text) {
    for (int number = 1; !text.empty(); ++number) {
      const std::size_t end = std::min(text.find('\n'), text.size());
      line(topo_words(text.substr(0, end)), number);
      text.remove_prefix(std::min(end + 1, text.size()));
    }
    if (names_.empty()) {
      throw InputError(fmt::format(
          "{}: has no line of GPU0 GPU1 ...; give the output of nvidia-smi topo -m", table_.file));
    }
    if (rows_.size() < names_.size()) {
      fail(numbers_.empty() ? header_ : numbers_.back(),
           fmt::format("the matrix has {} of {} rows; give the whole output", rows_.size(),
                       names_.size()));
    }
    check_symmetry();
    return std::move(table_);
  }

 private:
  [[noreturn]] void fail(int number, const std::string& what) const {
    throw InputError(fmt::format("{}:{}:1: {}", table_.file, number, what));
  }

  void line(const std::vector<std::string>& words, int number) {
    if (words.empty()) return;
    if (names_.empty()) {
      if (words[0] == "GPU0" && (words.size() < 2 || words[1] != "X")) header(words, number);
    } else if (rows_.size() < names_.size()) {
      row(words, number);
    } else if (std::ranges::find(names_, words[0]) != names_.end()) {
      fail(number, fmt::format("{}: is given twice; give the output of one node", words[0]));
    } else if (words.size() == 2 && words[0].starts_with("NIC") && words[0].ends_with(":")) {
      legend(words, number);
    }
  }

  void header(const std::vector<std::string>& words, int number) {
    header_ = number;
    const auto end = std::ranges::find(words, "CPU");  // "CPU Affinity"
    names_.assign(words.begin(), end);
    const auto first_nic = std::ranges::find_if_not(names_, is_gpu);
    if (std::any_of(first_nic, names_.end(), is_gpu)) fail(number, "has a GPU after a NIC");
    table_.gpus = static_cast<std::size_t>(first_nic - names_.begin());
    for (std::size_t i = 0; i < names_.size(); ++i) {
      if (is_gpu(names_[i]) && names_[i] != fmt::format("GPU{}", i)) {
        fail(number, fmt::format("{}: is not GPU{}; give the matrix of all GPUs of a node",
                                 printable(names_[i]), i));
      }
      if (std::ranges::count(names_, names_[i]) > 1) {
        fail(number, fmt::format("{}: is named twice", printable(names_[i])));
      }
    }
  }

  void row(const std::vector<std::string>& words, int number) {
    const std::size_t place = rows_.size();
    if (words[0] != names_[place]) {
      fail(number, fmt::format("{}: the row of {} is missing; give the whole output",
                               printable(words[0]), printable(names_[place])));
    }
    if (words.size() <= names_.size()) {
      fail(number, fmt::format("{}: has {} of {} columns; give the whole output",
                               printable(words[0]), words.size() - 1, names_.size()));
    }
    rows_.emplace_back(words.begin() + 1,
                       words.begin() + 1 + static_cast<std::ptrdiff_t>(names_.size()));
    numbers_.push_back(number);
    for (std::size_t i = 0; i < names_.size(); ++i) check_cell(place, i);
  }

  void legend(const std::vector<std::string>& words, int number) {
    const std::string nic = words[0].substr(0, words[0].size() - 1);
    if (table_.legend.emplace(nic, words[1]).second) return;
    fail(number, fmt::format("{}: is named twice; give the output of one node", printable(nic)));
  }

  void check_cell(std::size_t from, std::size_t to) const {
    const std::string& cell = rows_[from][to];
    if (!is_cell(cell)) {
      fail(numbers_[from],
           fmt::format("'{}' is not X, NV with a number of links, PIX, PXB, PHB, NODE or SYS",
                       printable(cell)));
    }
    if ((cell == "X") != (from == to)) {
      fail(numbers_[from],
           fmt::format("{} to {}: '{}' does not belong here; X stands for a device itself",
                       printable(names_[from]), printable(names_[to]), cell));
    }
  }

  void check_symmetry() const {
    for (std::size_t i = 0; i < rows_.size(); ++i) {
      for (std::size_t j = 0; j < i; ++j) {
        if (rows_[i][j] == rows_[j][i]) continue;
        fail(numbers_[i],
             fmt::format("{} to {} is {}, but line {} says {} of {} to {}", names_[i], names_[j],
                         rows_[i][j], numbers_[j], rows_[j][i], names_[j], names_[i]));
      }
    }
  }

  TopoTable table_;
  int header_ = 0;  // the line of names
  std::vector<std::string>& names_ = table_.names;
  std::vector<std::vector<std::string>>& rows_ = table_.cells;
  std::vector<int>& numbers_ = table_.lines;
};

}  // namespace

std::optional<int> nvlinks_of(std::string_view cell) {
  if (!cell.starts_with("NV")) return std::nullopt;
  int count = 0;
  const auto [end, error] = std::from_chars(cell.data() + 2, cell.data() + cell.size(), count);
  if (error != std::errc() || end != cell.data() + cell.size() || count < 1) return std::nullopt;
  return count;
}

TopoTable read_topo_table(std::string_view text, const std::filesystem::path& file) {
  return TopoReader(file).read(text);
}

}  // namespace sim::fit
