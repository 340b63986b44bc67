// SPDX-License-Identifier: Apache-2.0
#include "sim/base/printable.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdio>

namespace sim {
namespace {

constexpr std::string_view kReplacement = "\xef\xbf\xbd";  // U+FFFD

struct Range {
  std::uint32_t first, last;
};
// The Unicode Standard 15, sections 23.1 and 23.2 (controls, layout), 23.7 and 23.9.
constexpr std::array kHidden{Range{0x00, 0x1f},     Range{0x7f, 0x9f},     Range{0xad, 0xad},
                             Range{0x61c, 0x61c},   Range{0x180e, 0x180e}, Range{0x200b, 0x200f},
                             Range{0x2028, 0x202e}, Range{0x2060, 0x206f}, Range{0xfeff, 0xfeff},
                             Range{0xfff9, 0xfffb}, Range{0xfffe, 0xffff}, Range{0xe0000, 0xe007f}};

bool is_hidden(std::uint32_t character) {
  return std::ranges::any_of(kHidden, [&](const Range& range) {
    return character >= range.first && character <= range.last;
  });
}

// A character and its bytes; none where the bytes are no UTF-8.
struct Decoded {
  std::uint32_t character = 0;
  std::size_t bytes = 0;
};

// `text` is not empty.
Decoded first_of(std::string_view text) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const std::uint32_t lead = byte(0);
  if (lead < 0x80) return {lead, 1};
  const std::size_t bytes = lead < 0xc2   ? 0
                            : lead < 0xe0 ? 2
                            : lead < 0xf0 ? 3
                            : lead < 0xf5 ? 4
                                          : 0;
  if (bytes == 0 || bytes > text.size()) return {};
  std::uint32_t character = lead & (0xffU >> (bytes + 1));
  for (std::size_t i = 1; i < bytes; ++i) {
    if ((byte(i) & 0xc0) != 0x80) return {};
    character = character << 6 | (byte(i) & 0x3fU);
  }
  constexpr std::array<std::uint32_t, 5> kLeast{0, 0, 0x80, 0x800, 0x10000};
  const bool surrogate = character >= 0xd800 && character <= 0xdfff;
  if (character < kLeast[bytes] || character > 0x10ffff || surrogate) return {};
  return {character, bytes};
}

// `text` with what `shown` makes of each hidden character.
template <class Shown>
std::string replaced(std::string_view text, const Shown& shown) {
  std::string result;
  result.reserve(text.size());
  while (!text.empty()) {
    const Decoded one = first_of(text);
    if (one.bytes == 0) {
      result += kReplacement;
    } else if (is_hidden(one.character)) {
      result += shown(one.character);
    } else {
      result += text.substr(0, one.bytes);
    }
    text.remove_prefix(std::max<std::size_t>(one.bytes, 1));
  }
  return result;
}

std::string json_escape(std::uint32_t character) {
  const auto unit = [](std::uint32_t value) {
    char text[8];
    std::snprintf(text, sizeof text, "\\u%04x", value & 0xffffU);
    return std::string(text);
  };
  if (character < 0x10000) return unit(character);
  const std::uint32_t above = character - 0x10000;
  return unit(0xd800 + (above >> 10)) + unit(0xdc00 + (above & 0x3ffU));
}

// Between JSON's values they are blanks; in its texts they are escaped.
bool is_layout(std::uint32_t character) { return character == '\n' || character == '\t'; }

}  // namespace

std::string printable_lines(std::string_view text) {
  return replaced(text, [](std::uint32_t character) {
    return is_layout(character) ? std::string(1, static_cast<char>(character)) : std::string("?");
  });
}

std::string printable_line(std::string_view text, std::size_t longest) {
  std::string line = replaced(text, [](std::uint32_t) { return std::string("?"); });
  if (line.size() <= longest) return line;
  const auto continues = [&](std::size_t i) {
    return (static_cast<unsigned char>(line[i]) & 0xc0) == 0x80;
  };
  while (longest > 0 && continues(longest)) --longest;
  return line.substr(0, longest) + "...";
}

std::string printable_path(const std::filesystem::path& file) {
  return printable_line(file.string(), 4096);
}

std::string printable_json(std::string_view text) {
  return replaced(text, [](std::uint32_t character) {
    return is_layout(character) ? std::string(1, static_cast<char>(character))
                                : json_escape(character);
  });
}

}  // namespace sim
