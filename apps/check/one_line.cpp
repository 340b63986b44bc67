#include <nlohmann/json.hpp>

#include "apps/check/outputs.hpp"

namespace apps {
namespace {

// What is invalid in it becomes U+FFFD.
std::string as_utf8(std::string_view text) {
  using Json = nlohmann::json;
  return Json::parse(Json(text).dump(-1, ' ', false, Json::error_handler_t::replace));
}

unsigned char byte_at(std::string_view text, std::size_t place) {
  return place < text.size() ? static_cast<unsigned char>(text[place]) : 0;
}

// The bytes of the control character, or the one that is no character, which begins at `place`; 0
// where another begins there.
std::size_t unfit_bytes(std::string_view text, std::size_t place) {
  const unsigned first = byte_at(text, place), second = byte_at(text, place + 1);
  if (first < 0x20 || first == 0x7f) return 1;
  if (first == 0xc2 && second < 0xa0) return 2;
  const bool none = first == 0xef && second == 0xbf && byte_at(text, place + 2) >= 0xbe;
  return none ? 3 : 0;
}

}  // namespace

std::string one_line(std::string_view text, std::size_t longest) {
  const std::string given = as_utf8(text);
  std::string line;
  for (std::size_t place = 0; place < given.size();) {
    const std::size_t unfit = unfit_bytes(given, place);
    line += unfit > 0 ? '?' : given[place];
    place += unfit > 0 ? unfit : 1;
  }
  if (line.size() <= longest) return line;
  std::size_t end = longest;
  while (end > 0 && (byte_at(line, end) & 0xc0) == 0x80) --end;
  return line.substr(0, end) + "...";
}

}  // namespace apps
