// SPDX-License-Identifier: Apache-2.0
#include "apps/flag.hpp"

#include <boost/make_shared.hpp>
#include <sstream>
#include <string_view>
#include <utility>

namespace apps {
namespace {

namespace po = boost::program_options;

// Inherits, as the list of flags keeps Boost's rows alone.
class Flag : public po::option_description {
 public:
  Flag(const char* name, const po::value_semantic* value, const char* text, FlagTraits traits)
      : po::option_description(name, value, text), traits_(std::move(traits)) {}

  [[nodiscard]] const FlagTraits& traits() const { return traits_; }

 private:
  FlagTraits traits_;
};

const Flag* with_traits(const po::option_description& flag) {
  return dynamic_cast<const Flag*>(&flag);
}

// "none", "all" of "none|all|LAYERS: layers of ...": what stands in capitals is to be replaced.
std::vector<std::string> values_in(const std::string& text) {
  const std::size_t end = text.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789_-|");
  const std::string list = text.substr(0, end);
  if (list.find('|') == std::string::npos) return {};
  std::vector<std::string> values;
  std::istringstream names(list);
  for (std::string name; std::getline(names, name, '|');) values.push_back(name);
  return values;
}

}  // namespace

boost::shared_ptr<po::option_description> flag(const char* name, const po::value_semantic* value,
                                               const char* text, FlagTraits traits) {
  return boost::make_shared<Flag>(name, value, text, std::move(traits));
}

bool is_of_first_day(const po::option_description& flag) {
  const Flag* own = with_traits(flag);
  return own != nullptr && own->traits().first_day;
}

std::vector<std::string> values_of(const po::option_description& flag) {
  const Flag* own = with_traits(flag);
  if (own != nullptr && own->traits().values) return own->traits().values();
  return takes_value(flag) ? values_in(flag.description()) : std::vector<std::string>();
}

bool takes_value(const po::option_description& flag) { return flag.semantic()->max_tokens() > 0; }

}  // namespace apps
