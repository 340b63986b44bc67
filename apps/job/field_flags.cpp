// SPDX-License-Identifier: Apache-2.0
#include "apps/job/field_flags.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <type_traits>

#include "apps/arguments.hpp"
#include "apps/flag.hpp"
#include "apps/words.hpp"
#include "sim/base/error.hpp"

namespace apps {
namespace {

namespace po = boost::program_options;
using Row = sim::ParallelismField;

// As sim reads it; refuses a number before files are read.
template <class V>
std::string field_text(const Row& row, const std::string& written) {
  if constexpr (std::is_same_v<V, std::string>) {
    return written;
  } else {
    std::string text = fmt::format("{}", flag_number<V>(fmt::format("--{}", row.name), written));
    sim::Parallelism unused;
    row.read(row, text, unused);
    return text;
  }
}

// By Row::Kind.
constexpr decltype(&field_text<int>) kFieldTexts[]{field_text<std::string>, field_text<int>,
                                                   field_text<std::int64_t>, field_text<double>};

void read_flag(const Row& row, const std::string& written, sim::GivenFields& given,
               const FieldFlags& of_command) {
  const auto text_of = kFieldTexts[static_cast<int>(row.kind)];
  const bool is_list = written.find(',') != std::string::npos &&
                       std::ranges::find(of_command.lists, row.name) != of_command.lists.end();
  if (!is_list) {
    given[row.name] = text_of(row, written);
    return;
  }
  std::vector<std::string>& values = (*of_command.listed)[std::string(row.name)];
  for (const std::string& part : split(written)) {
    const std::string text = text_of(row, part);
    if (std::ranges::find(values, text) == values.end()) values.push_back(text);
  }
}

}  // namespace

void add_field_flags(po::options_description& flags, sim::ParallelismFields rows,
                     sim::GivenFields& given, const FieldFlags& of_command) {
  for (const Row& row : rows) {
    const bool is_chosen = of_command.chosen.contains(row.name);
    const std::string usual = is_chosen ? "chosen" : usual_text(row);
    std::string text(row.meaning);
    if (!row.usual.is_value && !usual.empty()) text += fmt::format(" (default: {})", usual);
    auto* value =
        po::value<std::string>()->notifier([&row, &given, of_command](const std::string& one) {
          read_flag(row, one, given, of_command);
        });
    if (row.usual.is_value) value->default_value(usual_text(row), usual);
    const bool first_day = row.first_day && !is_chosen && !of_command.aside;
    flags.add(flag(std::string(row.name).c_str(), value, with_flags(text).c_str(),
                   {.first_day = first_day, .values = row.choices}));
  }
}

NumberFlag* count(const char* flag, int& option) {
  return number_flag<int>(flag, [flag, &option](int given) {
    option = given;
    if (given < 1) throw sim::InputError(fmt::format("{}: {} is less than 1", flag, given));
  });
}

}  // namespace apps
