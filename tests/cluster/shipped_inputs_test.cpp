// What holds for every shipped cluster and model file, and for every way of damaging one.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <array>
#include <functional>
#include <map>
#include <string>

#include "sim/cluster/cluster.hpp"
#include "sim/workload/model.hpp"
#include "tests/input_errors.hpp"
#include "tests/shipped_files.hpp"

namespace {

using namespace sim;

struct Shipped {
  std::filesystem::path file;
  void (*parse)(std::string_view text, const std::filesystem::path& file);
};

std::vector<Shipped> shipped_inputs() {
  std::vector<Shipped> inputs;
  for (const auto& file : shipped_files("topologies", ".toml")) {
    inputs.push_back({file, [](std::string_view text, const std::filesystem::path& name) {
                        static_cast<void>(parse_cluster(text, name));
                      }});
  }
  for (const auto& file : shipped_files("traces/models", ".toml")) {
    inputs.push_back({file, [](std::string_view text, const std::filesystem::path& name) {
                        static_cast<void>(parse_model(text, name));
                      }});
  }
  return inputs;
}

class ShippedInput : public testing::TestWithParam<Shipped> {
 protected:
  // The error of the file with other text in it.
  std::string error_with(const std::string& text) const {
    std::string error = input_error_of([&] { GetParam().parse(text, "x.toml"); });
    expect_located(error, "x.toml");
    return error;
  }
  // Lines before [fitted], the one table that may be left out, and parts of it too.
  [[nodiscard]] std::size_t required_lines() const {
    const auto fitted = std::ranges::find(lines_, "[fitted]");
    return static_cast<std::size_t>(fitted - lines_.begin());
  }
  const std::vector<std::string> lines_ = lines_of(text_of(GetParam().file));
};

INSTANTIATE_TEST_SUITE_P(All, ShippedInput, testing::ValuesIn(shipped_inputs()),
                         [](const auto& instance) {
                           std::string name = instance.param.file.stem().string();
                           std::ranges::replace(name, '.', '_');
                           return name;
                         });

bool is_key(const std::string& line) {
  return line.find(" = ") != std::string::npos && !line.starts_with("#");
}
std::string key_of(const std::string& line) { return line.substr(0, line.find(' ')); }

TEST_P(ShippedInput, Reads) { EXPECT_EQ(error_with(joined_lines(lines_)), ""); }

TEST_P(ShippedInput, NamesASourceForEveryValue) {
  EXPECT_TRUE(lines_.front().starts_with("# ")) << "the file does not say what it is";
  int keys = 0;
  for (std::size_t i = 1; i < lines_.size(); ++i) {
    if (!is_key(lines_[i]) || key_of(lines_[i]) == "summary") continue;
    ++keys;
    EXPECT_TRUE(lines_[i - 1].starts_with("# ") && lines_[i - 1].size() > 10) << lines_[i];
  }
  EXPECT_GE(keys, 12);
}

TEST_P(ShippedInput, NeedsEveryKeyItHas) {
  for (std::size_t i = 0; i < required_lines(); ++i) {
    if (!is_key(lines_[i])) continue;
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

TEST_P(ShippedInput, RefusesValuesThatAreNone) {
  constexpr std::array kNone{"nan",  "-inf",           "-1",    "[]",    "{}",      "1979-05-27",
                             "\"\"", "\"-1 parsecs\"", "[[1]]", "1e999", "\"\\n\"", "\"9\""};
  for (std::size_t i = 0; i < lines_.size(); ++i) {
    if (!is_key(lines_[i])) continue;
    const std::string key = key_of(lines_[i]);
    for (const std::string none : kNone) {
      const bool free_text = key == "summary" || key == "name";
      if (free_text && none.starts_with("\"") && none != "\"\"") continue;
      std::vector<std::string> changed = lines_;
      changed[i] = fmt::format("{} = {}", key, none);
      const std::string error = error_with(joined_lines(changed));
      EXPECT_NE(error.find(fmt::format("x.toml:{}:", i + 1)), std::string::npos)
          << changed[i] << " says: " << error;
    }
  }
}

TEST_P(ShippedInput, CutAnywhereIsReadOrRefusedAtAPlace) {
  const std::string text = joined_lines(lines_);
  const std::size_t required = std::min(text.find("\n[fitted]"), text.size());
  int refused = 0;
  for (std::size_t size = 0; size < text.size(); size += 7) {
    const bool wrong = !error_with(text.substr(0, size)).empty();
    refused += wrong && size < required ? 1 : 0;
  }
  // Only comments stand between the end of the last required value and [fitted].
  const std::size_t last_value = text.rfind('\n', text.rfind(" = ", required)) + 1;
  EXPECT_GE(refused, static_cast<int>(last_value / 7) - 1);
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
  for (const auto& file : shipped_files("traces/models", ".toml")) {
    EXPECT_EQ(read_model(file).name, file.stem().string());
    EXPECT_LE(read_model(file).summary.size(), 90u) << file;
  }
}

}  // namespace
