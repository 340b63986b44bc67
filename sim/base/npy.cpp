// SPDX-License-Identifier: Apache-2.0
#include "sim/base/npy.hpp"

#include <fmt/format.h>

#include <bit>
#include <cstdint>
#include <cstring>
#include <string>

#include "sim/base/error.hpp"
#include "sim/base/file.hpp"
#include "sim/base/printable.hpp"

namespace sim {
namespace {

constexpr std::size_t kMostDimensions = 8;
constexpr std::size_t kPreamble = 10;  // magic, version, length of the header

static_assert(std::endian::native == std::endian::little, "values are copied as they are");

// The place that is read next.
class Cursor {
 public:
  Cursor(std::string_view bytes, std::string file) : bytes_(bytes), file_(std::move(file)) {}

  [[noreturn]] void fail(std::string_view what) const {
    throw InputError(fmt::format("{}: byte {}: {}", file_, place_, what));
  }
  bool take(std::string_view expected) {
    const bool found = bytes_.substr(place_).starts_with(expected);
    if (found) place_ += expected.size();
    return found;
  }
  void expect(std::string_view expected, std::string_view otherwise) {
    if (!take(expected)) fail(otherwise);
  }
  std::size_t byte() {
    if (place_ == bytes_.size()) fail("the file ends here; is it complete?");
    return static_cast<unsigned char>(bytes_[place_++]);
  }
  // A dimension, which is never more than the bytes of a file.
  std::size_t number() {
    std::size_t value = 0;
    const std::size_t first = place_;
    for (; place_ < bytes_.size() && bytes_[place_] >= '0' && bytes_[place_] <= '9'; ++place_) {
      value = value * 10 + static_cast<std::size_t>(bytes_[place_] - '0');
      if (value > kMostDataBytes) fail("the shape exceeds the largest file accepted");
    }
    if (place_ == first) fail("the shape is not a list of numbers");
    if (value == 0) fail("the tensor is empty");
    return value;
  }
  [[nodiscard]] std::size_t place() const { return place_; }
  [[nodiscard]] std::string_view rest() const { return bytes_.substr(place_); }

 private:
  std::string_view bytes_;
  std::string file_;
  std::size_t place_ = 0;
};

// "(3, 4)" or "(3,)", after its opening bracket.
std::vector<std::size_t> read_shape(Cursor& cursor) {
  std::vector<std::size_t> shape;
  do {
    if (shape.size() == kMostDimensions) cursor.fail("more than 8 dimensions; reshape the tensor");
    shape.push_back(cursor.number());
  } while (cursor.take(", "));
  if (shape.size() == 1) cursor.expect(",", "the shape has no closing comma");
  cursor.expect(")", "the shape has no closing bracket");
  return shape;
}

// Bytes of all values; fails where that is not the rest of the file.
std::size_t check_size(const Cursor& cursor, const Npy& npy, std::size_t value_bytes) {
  std::uintmax_t bytes = value_bytes;
  for (const std::size_t dimension : npy.shape) {
    bytes *= dimension;
    if (bytes > kMostDataBytes) cursor.fail("the shape exceeds the largest file accepted");
  }
  if (bytes != cursor.rest().size()) {
    cursor.fail(fmt::format("the shape needs {} bytes, but {} follow; is the file complete?", bytes,
                            cursor.rest().size()));
  }
  return static_cast<std::size_t>(bytes);
}

std::vector<float> widened(std::string_view bfloats) {
  std::vector<float> values(bfloats.size() / 2);
  for (std::size_t i = 0; i < values.size(); ++i) {
    std::uint16_t bits = 0;
    std::memcpy(&bits, &bfloats[2 * i], sizeof bits);
    values[i] = std::bit_cast<float>(static_cast<std::uint32_t>(bits) << 16);
  }
  return values;
}

}  // namespace

Npy parse_npy(std::string_view bytes, const std::filesystem::path& file) {
  Cursor cursor(bytes, printable_path(file));
  cursor.expect("\x93NUMPY", "is not a .npy file; write it with numpy.save");
  cursor.expect(std::string_view("\1\0", 2), "is not version 1.0; write it with numpy.save");
  const std::size_t low = cursor.byte();
  const std::size_t end = kPreamble + low + 256 * cursor.byte();
  cursor.expect("{'descr': '", "the header does not start with the type");
  const bool bfloat = cursor.take("<u2");
  if (!bfloat) cursor.expect("<f4", "is neither '<f4' (float32) nor '<u2' (bits of bfloat16)");
  cursor.expect(
      "', 'fortran_order': False, 'shape': (",
      "the header does not continue with C order and a shape; use numpy.ascontiguousarray");
  Npy npy;
  npy.shape = read_shape(cursor);
  cursor.expect(", }", "the header has more than type, order and shape");
  while (cursor.place() + 1 < end) cursor.expect(" ", "the header is not padded with blanks");
  cursor.expect("\n", "the header does not end with a newline");
  if (cursor.place() != end) cursor.fail("the header is longer than it says");
  const std::size_t size = check_size(cursor, npy, bfloat ? 2 : 4);
  if (bfloat) {
    npy.values = widened(cursor.rest());
  } else {
    npy.values.resize(size / sizeof(float));
    std::memcpy(npy.values.data(), cursor.rest().data(), size);
  }
  return npy;
}

Npy read_npy(const std::filesystem::path& file) {
  return parse_npy(read_input(file, kMostDataBytes, "record a part of the tensor"), file);
}

}  // namespace sim
