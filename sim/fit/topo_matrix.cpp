// SPDX-License-Identifier: Apache-2.0
#include "sim/fit/topo_matrix.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <map>
#include <optional>

#include "sim/base/error.hpp"
#include "sim/base/printable.hpp"
#include "sim/base/quantity_text.hpp"
#include "sim/base/toml_document.hpp"
#include "sim/fit/edited_text.hpp"
#include "sim/topology/fabrics.hpp"

namespace sim::fit {
namespace {

// From near to far: one PCIe switch, several, a host bridge, a NUMA node, another socket.
constexpr std::string_view kWays[] = {"PIX", "PXB", "PHB", "NODE", "SYS"};
// NVLinks of a GPU: 6 of V100, 12 of A100, 18 of Hopper and Blackwell.
constexpr int kMostNvlinks = 18;

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

// Links of "NV18"; nothing for another way.
std::optional<int> nvlinks_of(std::string_view cell) {
  if (!cell.starts_with("NV")) return std::nullopt;
  int count = 0;
  const auto [end, error] = std::from_chars(cell.data() + 2, cell.data() + cell.size(), count);
  if (error != std::errc() || end != cell.data() + cell.size() || count < 1) return std::nullopt;
  return count;
}

bool is_cell(std::string_view cell) {
  return cell == "X" || nvlinks_of(cell) || std::ranges::find(kWays, cell) != std::end(kWays);
}

class TopoReader {
 public:
  explicit TopoReader(const std::filesystem::path& file) : file_(printable_path(file)) {}

  void read(std::string_view text) {
    for (int number = 1; !text.empty(); ++number) {
      const std::size_t end = std::min(text.find('\n'), text.size());
      line(topo_words(text.substr(0, end)), number);
      text.remove_prefix(std::min(end + 1, text.size()));
    }
    if (names_.empty()) {
      fail(0, "has no line of GPU0 GPU1 ...; give the output of nvidia-smi topo -m");
    }
    if (rows_.size() < names_.size()) {
      fail(numbers_.empty() ? header_ : numbers_.back(),
           fmt::format("the matrix has {} of {} rows; give the whole output", rows_.size(),
                       names_.size()));
    }
    check_symmetry();
  }

  [[nodiscard]] TopoMatrix matrix() const {
    TopoMatrix topo{.gpus = static_cast<int>(std::ranges::count_if(names_, is_gpu))};
    read_nvlink(topo);
    assign_nics(topo);
    return topo;
  }

 private:
  [[noreturn]] void fail(int number, const std::string& what) const {
    throw InputError(number == 0 ? fmt::format("{}: {}", file_, what)
                                 : fmt::format("{}:{}:1: {}", file_, number, what));
  }

  void line(const std::vector<std::string>& words, int number) {
    if (words.empty()) return;
    if (names_.empty()) {
      if (words[0] == "GPU0" && (words.size() < 2 || words[1] != "X")) header(words, number);
    } else if (rows_.size() < names_.size()) {
      row(words, number);
    } else if (words.size() == 2 && words[0].starts_with("NIC") && words[0].ends_with(":")) {
      legend_[words[0].substr(0, words[0].size() - 1)] = words[1];
    }
  }

  void header(const std::vector<std::string>& words, int number) {
    header_ = number;
    const auto end = std::ranges::find(words, "CPU");  // "CPU Affinity"
    names_.assign(words.begin(), end);
    const auto first_nic = std::ranges::find_if_not(names_, is_gpu);
    if (std::any_of(first_nic, names_.end(), is_gpu)) fail(number, "has a GPU after a NIC");
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
    for (std::size_t i = 0; i < names_.size(); ++i) {
      const std::string& cell = rows_.back()[i];
      if (!is_cell(cell)) {
        fail(number, fmt::format("'{}' is not X, NV with a number of links, PIX, PXB, PHB, NODE or "
                                 "SYS",
                                 printable(cell)));
      }
      if ((cell == "X") != (i == place)) {
        fail(number,
             fmt::format("{} to {}: '{}' does not belong here; X stands for a device itself",
                         printable(words[0]), printable(names_[i]), cell));
      }
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

  void read_nvlink(TopoMatrix& topo) const {
    for (int i = 0; i < topo.gpus; ++i) {
      for (int j = 0; j < i; ++j) {
        const std::string& cell = rows_[static_cast<std::size_t>(i)][static_cast<std::size_t>(j)];
        const auto links = nvlinks_of(cell);
        const int number = numbers_[static_cast<std::size_t>(i)];
        if (!links) {
          fail(number,
               fmt::format("GPU{} and GPU{} have no NVLink but {}; `topo` reads nodes whose "
                           "GPUs all have NVLink to each other; for a node without NVLink, "
                           "write nvlink.kind = \"pcie\" by hand (docs/files/cluster.md)",
                           i, j, cell));
        }
        if (topo.nvlinks == 0) topo.nvlinks = *links;
        if (*links == topo.nvlinks) continue;
        fail(number, fmt::format("GPU{} and GPU{} have {} NVLinks, but other pairs {}; a cluster "
                                 "file cannot describe such a node",
                                 i, j, *links, topo.nvlinks));
      }
    }
    const bool own_links = topo.nvlinks * (topo.gpus - 1) <= kMostNvlinks;
    topo.kind = own_links ? &fabrics::full_mesh : &fabrics::switched;
  }

  // How far a GPU's way to a NIC is.
  [[nodiscard]] std::size_t distance(std::size_t gpu, std::size_t nic) const {
    const auto way = std::ranges::find(kWays, rows_[gpu][nic]);
    if (way == std::end(kWays)) {
      fail(numbers_[gpu], fmt::format("{} to {}: {} is not a way to a NIC", names_[gpu],
                                      printable(names_[nic]), rows_[gpu][nic]));
    }
    return static_cast<std::size_t>(way - std::begin(kWays));
  }

  [[nodiscard]] std::string name_of(std::size_t nic) const {
    const auto known = legend_.find(names_[nic]);
    return known == legend_.end() ? names_[nic]
                                  : fmt::format("{} ({})", names_[nic], known->second);
  }

  void assign_nics(TopoMatrix& topo) const {
    const auto first = static_cast<std::size_t>(topo.gpus);
    std::map<std::size_t, int> users;
    std::vector<std::size_t> chosen;
    for (std::size_t gpu = 0; gpu < first && first < names_.size(); ++gpu) {
      std::size_t best = first;
      for (std::size_t nic = first; nic < names_.size(); ++nic) {
        const auto rank = [&](std::size_t one) {
          return std::pair(distance(gpu, one), users.contains(one) ? users.at(one) : 0);
        };
        if (rank(nic) < rank(best)) best = nic;
      }
      ++users[best];
      chosen.push_back(best);
      topo.gpu_way.push_back(rows_[gpu][best]);
    }
    for (const std::size_t nic : chosen) {
      topo.gpu_nic.push_back(static_cast<int>(std::distance(users.begin(), users.find(nic))));
    }
    for (std::size_t nic = first; nic < names_.size(); ++nic) {
      (users.contains(nic) ? topo.nics : topo.unused).push_back(name_of(nic));
    }
  }

  std::string file_;
  int header_ = 0;
  std::vector<std::string> names_;              // of the columns
  std::vector<std::vector<std::string>> rows_;  // cells
  std::vector<int> numbers_;                    // of the rows' lines
  std::map<std::string, std::string> legend_;
};

}  // namespace

TopoMatrix parse_topo(std::string_view text, const std::filesystem::path& file) {
  TopoReader reader(file);
  reader.read(text);
  TopoMatrix topo = reader.matrix();
  if (topo.gpus >= 2) return topo;
  throw InputError(fmt::format("{}: has fewer than two GPUs; give the matrix of a whole node",
                               printable_path(file)));
}

std::string with_topo(const TopoMatrix& topo, std::string_view base_text,
                      const std::filesystem::path& base_file) {
  if (parse_cluster(base_text, base_file).nvlink.kind->bridges) {
    throw InputError(fmt::format(
        "{}: describes nodes without NVLink, which the matrix of `topo` has; start from "
        "a cluster with NVLink",
        printable_path(base_file)));
  }
  const std::string comment = "From nvidia-smi topo -m.";
  std::vector<KeyEdit> edits{{"cluster.gpus_per_node", std::to_string(topo.gpus), comment},
                             {"nvlink.kind", fmt::format("\"{}\"", topo.kind->name), comment}};
  if (!topo.nics.empty()) {
    edits.push_back({"network.nics_per_node", std::to_string(topo.nics.size()), comment});
    edits.push_back(
        {"network.gpu_nic", fmt::format("[{}]", fmt::join(topo.gpu_nic, ", ")), comment});
  }
  std::string text = edited_text(base_text, base_file, edits);
  const Cluster read = parse_cluster(text, base_file);
  const bool nics =
      topo.nics.empty() || (read.network.gpu_nic == topo.gpu_nic &&
                            read.network.nics_per_node == static_cast<int>(topo.nics.size()));
  if (read.gpus_per_node == topo.gpus && read.nvlink.kind == topo.kind && nics) return text;
  throw InputError(
      fmt::format("{}: gives [cluster], [nvlink] or [network] without a header; write each key on "
                  "a line of its "
                  "own below the header of its table",
                  printable_path(base_file)));
}

std::vector<std::string> topo_lines(const TopoMatrix& topo, const Cluster& cluster) {
  std::vector<std::string> lines{
      fmt::format("{} GPUs with {} NVLinks between each two: nvlink.kind is {}", topo.gpus,
                  topo.nvlinks, topo.kind->name)};
  if (topo.nics.empty()) {
    lines.emplace_back("no NICs: those of the topology stay");
  } else {
    lines.push_back(fmt::format("{} NICs: {}", topo.nics.size(), fmt::join(topo.nics, ", ")));
    lines.push_back(fmt::format("NIC of each GPU: {} ({})", fmt::join(topo.gpu_nic, ", "),
                                fmt::join(topo.gpu_way, ", ")));
  }
  if (!topo.unused.empty()) {
    lines.push_back(
        fmt::format("left out, as no GPU is nearest to them: {}", fmt::join(topo.unused, ", ")));
  }
  // A link's bandwidth per direction: 25 GB/s of NVLink 2 to 4, 50 GB/s of NVLink 5.
  const double per_link = cluster.nvlink.bandwidth.base() / topo.nvlinks / 1e9;
  if (std::abs(per_link - 25) > 1 && std::abs(per_link - 50) > 1) {
    lines.push_back(fmt::format(
        "warning: nvlink.bandwidth is {:.3g} GB/s for each of {} NVLinks, which have 25 or 50; "
        "check the topology",
        per_link, topo.nvlinks));
  }
  return lines;
}

}  // namespace sim::fit
