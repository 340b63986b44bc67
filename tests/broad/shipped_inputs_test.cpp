// SPDX-License-Identifier: Apache-2.0
// What holds for every shipped cluster, file of sites and model, and for every way of damaging one.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "sim/times/host.hpp"
#include "sim/topology/cluster.hpp"
#include "sim/topology/compute_efficiency.hpp"
#include "sim/topology/wide_topology.hpp"
#include "sim/workload/model.hpp"
#include "tests/input_errors.hpp"
#include "tests/shipped_files.hpp"
#include "tests/topology/sample_area.hpp"

namespace {

using namespace sim;

struct Shipped {
  std::filesystem::path file;
  void (*parse)(std::string_view text, const std::filesystem::path& file);
  // How the lines of tables begin from which on all may be left out.
  std::vector<std::string> optional_tables = {};
  std::set<std::string> optional_keys = {};  // that may be left out of a table
  // Texts that stand for no number, and so need no source above them.
  std::set<std::string> words = {"summary"};
};

// With a backbone no pair of sites needs a link of its own.
std::vector<std::string> optional_tables_of(const std::filesystem::path& area) {
  if (text_of(area).find("\n[backbone]") == std::string::npos) return {"[store]"};
  return {"[links.", "[store]", "[syncer]"};
}

std::vector<Shipped> shipped_inputs() {
  std::vector<Shipped> inputs;
  for (const auto& file : shipped_files("topologies", ".toml")) {
    inputs.push_back(
        {.file = file,
         .parse =
             [](std::string_view text, const std::filesystem::path& name) {
               static_cast<void>(parse_cluster(text, name));
             },
         .optional_tables = {"[fitted]"},
         .optional_keys = {"fp8", "fp4", "fused_attention", "power_limit", "price_as_of",
                           "speed_spread", "host_bandwidth", "transport", "efficiency",
                           "ll128_latency", "link_bandwidth", "groups", "routing"}});
  }
  for (const auto& file : shipped_files("topologies/wide_area", ".toml")) {
    inputs.push_back({.file = file,
                      .parse =
                          [](std::string_view text, const std::filesystem::path& name) {
                            static_cast<void>(parse_wide_area(text, name, sample_cluster_file));
                          },
                      .optional_tables = optional_tables_of(file),
                      .optional_keys = {"count",
                                        "nodes",
                                        "power_cap",
                                        "region",
                                        "speed",
                                        "late",
                                        "drops_out",
                                        "stays",
                                        "returns_after",
                                        "micro_batch",
                                        "accumulation",
                                        "tp",
                                        "pp",
                                        "zero",
                                        "inner_scheme",
                                        "inner_steps",
                                        "detection",
                                        "checkpoint_rounds",
                                        "checkpoint_bandwidth",
                                        "checkpoint_asynchronous",
                                        "changes",
                                        "repeats",
                                        "background",
                                        "bandwidth",
                                        "price",
                                        "dead",
                                        "memory_bandwidth"}});
  }
  for (const auto& file : shipped_files("traces/models", ".toml")) {
    inputs.push_back(
        {.file = file,
         .parse =
             [](std::string_view text, const std::filesystem::path& name) {
               static_cast<void>(parse_model(text, name));
             },
         .optional_tables = {"[model."},
         .optional_keys = {"order", "predictions", "causal", "window", "window_kind", "sinks",
                           "attention_cap", "norm_place", "query_key_norm_weights"}});
  }
  inputs.push_back({.file = source_directory() / "traces/compute_efficiency.toml",
                    .parse =
                        [](std::string_view text, const std::filesystem::path& name) {
                          static_cast<void>(parse_efficiencies(text, name));
                        },
                    .optional_tables = {"[defaults.h", "[defaults.b"},
                    .optional_keys = {"rows"},
                    .words = {"gpus", "precision", "source", "rows"}});
  inputs.push_back({.file = source_directory() / "traces/kernels/host.toml",
                    .parse =
                        [](std::string_view text, const std::filesystem::path& name) {
                          static_cast<void>(parse_hosts(text, name));
                        },
                    .optional_tables = {"[hosts.e", "[hosts.c"},
                    .optional_keys = {"waits"},
                    .words = {"kernels", "source"}});
  return inputs;
}

bool is_key(const std::string& line) {
  return line.find(" = ") != std::string::npos && !line.starts_with("#");
}
std::string key_of(const std::string& line) { return line.substr(0, line.find(' ')); }

class ShippedInput : public testing::TestWithParam<Shipped> {
 protected:
  // The error of the file with other text in it.
  std::string error_with(const std::string& text) const {
    std::string error = input_error_of([&] { GetParam().parse(text, "x.toml"); });
    expect_located(error, "x.toml");
    return error;
  }
  // The lines of keys that must be there, in tables that must be there.
  [[nodiscard]] std::vector<std::size_t> required_lines() const {
    std::vector<std::size_t> required;
    const auto begins_optional_table = [](const std::string& line) {
      return std::ranges::any_of(GetParam().optional_tables,
                                 [&](const auto& table) { return line.starts_with(table); });
    };
    for (std::size_t i = 0; i < lines_.size(); ++i) {
      if (begins_optional_table(lines_[i])) break;
      if (is_key(lines_[i]) && !GetParam().optional_keys.contains(key_of(lines_[i]))) {
        required.push_back(i);
      }
    }
    return required;
  }
  const std::vector<std::string> lines_ = lines_of(text_of(GetParam().file));
};

INSTANTIATE_TEST_SUITE_P(All, ShippedInput, testing::ValuesIn(shipped_inputs()),
                         [](const auto& instance) {
                           std::string name = instance.param.file.stem().string();
                           std::ranges::replace(name, '.', '_');
                           return name;
                         });

TEST_P(ShippedInput, Reads) { EXPECT_EQ(error_with(joined_lines(lines_)), ""); }

TEST_P(ShippedInput, NamesASourceForEveryValue) {
  EXPECT_TRUE(lines_.front().starts_with("# ")) << "the file does not say what it is";
  int keys = 0;
  for (std::size_t i = 1; i < lines_.size(); ++i) {
    if (!is_key(lines_[i]) || GetParam().words.contains(key_of(lines_[i]))) continue;
    ++keys;
    EXPECT_TRUE(lines_[i - 1].starts_with("# ") && lines_[i - 1].size() > 10) << lines_[i];
  }
  EXPECT_GE(keys, 8);
}

TEST_P(ShippedInput, NeedsEveryKeyItHas) {
  for (const std::size_t i : required_lines()) {
    std::vector<std::string> rest = lines_;
    rest.erase(rest.begin() + static_cast<std::ptrdiff_t>(i));
    EXPECT_NE(
        error_with(joined_lines(rest)).find(fmt::format("missing key {};", key_of(lines_[i]))),
        std::string::npos)
        << lines_[i];
  }
}

TEST_P(ShippedInput, SuggestsTheKeyThatWasMeant) {
  for (std::size_t i = 0; i < lines_.size(); ++i) {
    if (!is_key(lines_[i])) continue;
    const std::string key = key_of(lines_[i]);
    std::vector<std::string> typo = lines_;
    typo[i].erase(key.size() / 2, 1);
    const std::string wanted =
        fmt::format("x.toml:{}:1: {}: unknown key; did you mean {}?", i + 1, key_of(typo[i]), key);
    const std::string error = error_with(joined_lines(typo));
    EXPECT_NE(error.find(wanted), std::string::npos) << error;
  }
}

// A value that is none in place of every key's whose number, modulo `apart`, is `first`.
struct Spoilt {
  std::vector<std::string> lines;
  std::vector<std::size_t> wrong;  // lines
};
Spoilt spoilt(const std::vector<std::string>& lines, const std::string& none, std::size_t apart,
              std::size_t first) {
  Spoilt file{lines, {}};
  std::size_t keys = 0;
  for (std::size_t i = 0; i < lines.size(); ++i) {
    if (!is_key(lines[i]) || keys++ % apart != first) continue;
    const std::string key = key_of(lines[i]);
    const bool free_text = key == "summary" || key == "name" || key == "region" ||
                           key == "price_as_of" || key.starts_with("source");
    if (free_text && none.starts_with("\"") && none != "\"\"") continue;
    file.lines[i] = fmt::format("{} = {}", key, none);
    file.wrong.push_back(i);
  }
  return file;
}

TEST_P(ShippedInput, RefusesValuesThatAreNone) {
  constexpr std::array kNone{"nan",  "-inf",           "-1",    "[]",      "{}",
                             "\"\"", "\"-1 parsecs\"", "[[1]]", "\"\\n\"", "\"9 q\""};
  // The reader ends at the first of these: one a file.
  constexpr std::array kNoToml{"1979-05-27", "1e999"};
  const auto expect_refused = [&](const std::string& none, std::size_t apart) {
    for (std::size_t first = 0; first < apart; ++first) {
      const Spoilt file = spoilt(lines_, none, apart, first);
      if (file.wrong.empty()) continue;
      const std::string error = error_with(joined_lines(file.lines));
      for (const std::size_t i : file.wrong) {
        EXPECT_NE(error.find(fmt::format("x.toml:{}:", i + 1)), std::string::npos)
            << file.lines[i] << " says: " << error;
      }
    }
  };
  for (const std::string none : kNone) expect_refused(none, 3);
  for (const std::string none : kNoToml) expect_refused(none, lines_.size());
}

// However much else is wrong: nobody mends a file one line a run.
TEST_P(ShippedInput, NamesEveryWrongValueAtOnce) {
  std::vector<std::string> changed = lines_;
  std::size_t wrong = 0;
  for (std::string& line : changed) {
    if (!is_key(line)) continue;
    line = key_of(line) + " = []";
    ++wrong;
  }
  const std::string error = error_with(joined_lines(changed));
  for (std::size_t i = 0; i < changed.size() && wrong <= kMostProblems; ++i) {
    if (!is_key(changed[i])) continue;
    EXPECT_NE(error.find(fmt::format("x.toml:{}:", i + 1)), std::string::npos)
        << changed[i] << " is not in: " << error;
  }
}

TEST_P(ShippedInput, CutAnywhereIsReadOrRefusedAtAPlace) {
  const std::string text = joined_lines(lines_);
  std::size_t last_required = 0;  // where the line of the last required key begins
  for (std::size_t i = 0; i < required_lines().back(); ++i) last_required += lines_[i].size() + 1;
  for (std::size_t size = 0; size < text.size(); size += 29) {
    const bool wrong = !error_with(text.substr(0, size)).empty();
    EXPECT_TRUE(wrong || size > last_required) << "read, though cut after " << size << " bytes";
  }
}

TEST(ShippedClusters, GiveOneGpuTheSameValuesEverywhere) {
  std::map<std::string, std::string> tables;
  for (const auto& file : shipped_files("topologies", ".toml")) {
    std::string table;
    bool inside = false;
    for (const std::string& line : lines_of(text_of(file))) {
      if (line.starts_with("[")) inside = line == "[gpu]";
      if (inside && is_key(line)) table += line + "\n";
    }
    const std::string name = read_cluster(file).gpu.name;
    const auto [known, added] = tables.emplace(name, table);
    EXPECT_EQ(known->second, table) << file << " disagrees on " << name;
  }
  EXPECT_GE(tables.size(), 5u);
}

TEST(ShippedInputs, AreNamedAndSummarisedForTheList) {
  for (const auto& file : shipped_files("topologies", ".toml")) {
    EXPECT_EQ(read_cluster(file).name, file.stem().string());
    EXPECT_LE(read_cluster(file).summary.size(), 90u) << file;
  }
  for (const auto& file : shipped_files("topologies/wide_area", ".toml")) {
    const WideArea area = parse_wide_area(text_of(file), file, sample_cluster_file);
    EXPECT_EQ(area.name, file.stem().string());
    EXPECT_LE(area.summary.size(), 90u) << file;
  }
  for (const auto& file : shipped_files("traces/models", ".toml")) {
    EXPECT_EQ(read_model(file).name, file.stem().string());
    EXPECT_LE(read_model(file).summary.size(), 90u) << file;
  }
}

WideArea shipped_area(const std::string& name) {
  const auto file = source_directory() / "topologies/wide_area" / (name + ".toml");
  return parse_wide_area(text_of(file), file, sample_cluster_file);
}

TEST(ShippedAreas, GiveIntellect1sNodesHalfToFourGigabitsASecond) {
  // arXiv 2412.01152: between two nodes, the ends of the range included.
  const WideArea area = shipped_area("three_continents");
  double least = 4;
  double most = 0;
  for (int a = 0; a < place_count(area); ++a) {
    for (int b = 0; b < a; ++b) {
      const WideLink& path = path_between(area, a, b);
      const Bandwidth rate = std::min({connection_rate(area.transport, path.latency * 2, path.loss),
                                       site_of(area, a).uplink, site_of(area, b).downlink});
      least = std::min(least, rate / 1_Gbps);
      most = std::max(most, rate / 1_Gbps);
    }
  }
  EXPECT_NEAR(least, 0.5, 0.05);
  EXPECT_NEAR(most, 4, 0.1);
}

TEST(ShippedAreas, LetANodeHave3200MegabytesASecondOverAThousandKilometres) {
  // A node's 16 channels of 4 MiB in each 21 ms, however many GPUs and NICs they are dealt to.
  const WideArea area = shipped_area("two_sites_rdma_1000km");
  const double node_Bps = 16.0 * 4 * 1'048'576 / 21e-3;
  EXPECT_NEAR(node_Bps / 1e9, 3.2, 0.01);
  const Hop hop = wide_hop(0, 1);
  EXPECT_NEAR(wide_connection_rate(area, hop).base(), 16 * node_Bps, 1);
}

}  // namespace
