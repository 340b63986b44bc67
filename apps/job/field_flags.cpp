// SPDX-License-Identifier: Apache-2.0
#include "apps/job/field_flags.hpp"

#include <fmt/format.h>

#include <boost/lexical_cast.hpp>
#include <cstdint>
#include <string>

#include "apps/words.hpp"
#include "sim/base/error.hpp"

namespace apps {
namespace {

namespace po = boost::program_options;
using Row = sim::ParallelismField;

template <class V>
po::value_semantic* value_of(const Row& row, sim::GivenFields& given, const std::string& shown) {
  auto* value = po::value<V>()->notifier([&row, &given](const V& one) {
    std::string& text = given[row.name] = fmt::format("{}", one);
    if (row.kind == Row::Kind::text) return;
    sim::Parallelism unused;
    row.read(row, text, unused);  // refuses a number before files are read
  });
  if (row.usual.is_value) value->default_value(boost::lexical_cast<V>(usual_text(row)), shown);
  return value;
}

// By Row::Kind.
constexpr decltype(&value_of<int>) kValues[]{value_of<std::string>, value_of<int>,
                                             value_of<std::int64_t>, value_of<double>};

}  // namespace

void add_field_flags(po::options_description& flags, sim::ParallelismFields rows,
                     sim::GivenFields& given, const ChosenFlags& chosen) {
  auto add = flags.add_options();
  for (const Row& row : rows) {
    const std::string usual = chosen.contains(row.name) ? "chosen" : usual_text(row);
    std::string text(row.meaning);
    if (!row.usual.is_value && !usual.empty()) text += fmt::format(" (default: {})", usual);
    po::value_semantic* value = kValues[static_cast<int>(row.kind)](row, given, usual);
    add(std::string(row.name).c_str(), value, with_flags(text).c_str());
  }
}

po::typed_value<int>* count(const char* flag, int& option) {
  return po::value(&option)->notifier([flag](int given) {
    if (given < 1) throw sim::InputError(fmt::format("{}: {} is less than 1", flag, given));
  });
}

}  // namespace apps
