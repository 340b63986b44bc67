// SPDX-License-Identifier: Apache-2.0
// What stands in a JSON text, told one value after the other.
#pragma once

#include <fmt/format.h>
#include <rapidjson/error/error.h>
#include <rapidjson/memorystream.h>
#include <rapidjson/reader.h>

#include <string>
#include <string_view>

#include "sim/base/error.hpp"

namespace sim {

// Numbers to their last bit, texts in valid UTF-8, and no recursion, however deeply values are nested.
inline constexpr unsigned kStrictJson = rapidjson::kParseIterativeFlag |
                                        rapidjson::kParseFullPrecisionFlag |
                                        rapidjson::kParseValidateEncodingFlag;

// What becomes of NaN, Infinity and -Infinity: Python's json writes them, though JSON has none of them.
enum class NotFinite { refused, read };

// Where one of those is followed by an exponent or a fraction, which RapidJSON then reads as if digits stood
// before it, and beyond its buffer; or npos.
[[nodiscard]] std::size_t number_after_not_finite(std::string_view text);

// Calls a handler of RapidJSON's (see rapidjson::BaseReaderHandler) until the text ends or the handler
// answers false, and returns whether it ended. Throws an InputError that names the file if the text is
// not JSON or has a number beyond double's range.
template <class Handler>
bool tell_json(std::string_view text, const std::string& file, Handler& handler,
               NotFinite not_finite = NotFinite::refused) {
  constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";
  const std::size_t skipped = text.starts_with(kByteOrderMark) ? kByteOrderMark.size() : 0;
  if (not_finite == NotFinite::read) {
    const std::size_t wrong = number_after_not_finite(text);
    if (wrong != std::string_view::npos) {
      throw InputError(fmt::format("{}: byte {}: is not JSON", file, wrong + 1));
    }
  }
  rapidjson::MemoryStream stream(text.data() + skipped, text.size() - skipped);
  rapidjson::Reader reader;
  const rapidjson::ParseResult result =
      not_finite == NotFinite::read
          ? reader.Parse<kStrictJson | rapidjson::kParseNanAndInfFlag>(stream, handler)
          : reader.Parse<kStrictJson>(stream, handler);
  if (result.Code() == rapidjson::kParseErrorTermination) return false;
  if (result.Code() == rapidjson::kParseErrorNumberTooBig) {
    throw InputError(file + ": contains a number that is too large");
  }
  // The reader takes a byte of zero for the end.
  const std::size_t end = result.IsError() ? result.Offset() : stream.Tell();
  if (result.IsError() || skipped + end != text.size()) {
    throw InputError(fmt::format("{}: byte {}: is not JSON", file, skipped + end + 1));
  }
  return true;
}

}  // namespace sim
