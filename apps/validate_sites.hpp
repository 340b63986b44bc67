// Published tables of training over several sites.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace apps {

struct SiteStudy {
  std::string_view name;
  std::string_view summary;
  void (*print)(const std::string& format);  // table, csv or json
};
[[nodiscard]] std::span<const SiteStudy> site_studies();

}  // namespace apps
