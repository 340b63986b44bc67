// SPDX-License-Identifier: Apache-2.0
#include "sim/base/gzip.hpp"

#include <fmt/format.h>
#include <zlib.h>

#include <limits>
#include <utility>

#include "sim/base/error.hpp"
#include "sim/base/file.hpp"
#include "sim/base/printable.hpp"

namespace sim {
namespace {

class Inflater {
 public:
  Inflater() {
    constexpr int kGzipOnly = 16;
    require(inflateInit2(&stream_, kGzipOnly + MAX_WBITS) == Z_OK, "zlib inflates");
  }
  ~Inflater() { inflateEnd(&stream_); }
  Inflater(const Inflater&) = delete;
  Inflater& operator=(const Inflater&) = delete;

  [[nodiscard]] z_stream& stream() { return stream_; }

 private:
  z_stream stream_ = {};
};

}  // namespace

std::string unpacked(std::string bytes, const std::string& name, std::size_t most) {
  if (!bytes.starts_with("\x1f\x8b")) return bytes;
  require(bytes.size() <= std::numeric_limits<uInt>::max(), "zlib counts in 32 bits");
  Inflater inflater;
  z_stream& stream = inflater.stream();
  stream.next_in = reinterpret_cast<Bytef*>(bytes.data());
  stream.avail_in = static_cast<uInt>(bytes.size());
  std::string text;
  char piece[1 << 16];
  for (;;) {
    stream.next_out = reinterpret_cast<Bytef*>(piece);
    stream.avail_out = sizeof piece;
    const int state = inflate(&stream, Z_NO_FLUSH);
    const std::size_t count = sizeof piece - stream.avail_out;
    if (count > most - text.size()) {
      throw InputError(fmt::format("{}: is larger than {} MiB when unpacked; is it the right file?",
                                   name, most >> 20));
    }
    text.append(piece, count);
    if (state == Z_STREAM_END) {
      if (stream.avail_in == 0) return text;
      inflateReset(&stream);  // the next member
    } else if (state != Z_OK) {
      const bool cut = state == Z_BUF_ERROR && stream.avail_in == 0;
      throw InputError(fmt::format(
          "{}: {}", name,
          cut ? "is cut off: the gzip data has no end; copy the file again"
              : fmt::format("byte {}: is not gzip data; copy the file again", stream.total_in)));
    }
  }
}

std::string read_unpacked(const std::filesystem::path& file, std::size_t most) {
  return unpacked(read_input(file, most), printable_path(file), most);
}

}  // namespace sim
