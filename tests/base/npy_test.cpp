// SPDX-License-Identifier: Apache-2.0
// .npy files are read strictly: what is wrong is one line that names the file and the byte.
#include "sim/base/npy.hpp"

#include <gtest/gtest.h>

#include <bit>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "tests/input_errors.hpp"

namespace sim {
namespace {

// As numpy.save writes it: the header ends on a multiple of 64 bytes.
std::string npy_text(const std::string& type, const std::string& shape, std::string_view values) {
  std::string header =
      "{'descr': '" + type + "', 'fortran_order': False, 'shape': " + shape + ", }";
  while ((10 + header.size() + 1) % 64 != 0) header += ' ';
  header += '\n';
  const auto size = header.size();
  return std::string("\x93NUMPY\1\0", 8) + static_cast<char>(size % 256) +
         static_cast<char>(size / 256) + header + std::string(values);
}

template <class T>
std::string bytes_of(const std::vector<T>& values) {
  return {reinterpret_cast<const char*>(values.data()), values.size() * sizeof(T)};
}

std::string error_of(std::string_view text) {
  std::string error = input_error_of([&] { static_cast<void>(parse_npy(text, "x.npy")); });
  EXPECT_LE(lines_of(error).size(), 1u) << error;
  expect_located(error, "x.npy");
  return error;
}

const std::vector<float> kValues{1.5f, -2, 0, 1e-40f, 5, 6};

TEST(Npy, ReadsFloatsOfAnyShape) {
  const Npy matrix = parse_npy(npy_text("<f4", "(2, 3)", bytes_of(kValues)), "x.npy");
  EXPECT_EQ(matrix.shape, (std::vector<std::size_t>{2, 3}));
  EXPECT_EQ(matrix.values, kValues);
  const Npy line = parse_npy(npy_text("<f4", "(6,)", bytes_of(kValues)), "x.npy");
  EXPECT_EQ(line.shape, (std::vector<std::size_t>{6}));
  EXPECT_EQ(line.values, kValues);
}

TEST(Npy, ReadsTheBitsOfBfloat16) {
  const std::vector<std::uint16_t> bits{0x3F80, 0xC000, 0x0001, 0x7F7F};
  const Npy npy = parse_npy(npy_text("<u2", "(2, 2)", bytes_of(bits)), "x.npy");
  for (std::size_t i = 0; i < bits.size(); ++i) {
    EXPECT_EQ(std::bit_cast<std::uint32_t>(npy.values[i]), std::uint32_t{bits[i]} << 16);
  }
}

TEST(Npy, RefusesEveryTruncation) {
  const std::string whole = npy_text("<f4", "(2, 3)", bytes_of(kValues));
  for (std::size_t size = 0; size < whole.size(); ++size) {
    EXPECT_NE(error_of(whole.substr(0, size)), "") << size;
  }
  EXPECT_NE(error_of(whole + '\0'), "");
}

// Of the header, every byte matters.
TEST(Npy, RefusesEveryChangedByteOfTheHeader) {
  const std::string whole = npy_text("<f4", "(2, 3)", bytes_of(kValues));
  const std::size_t header = whole.size() - kValues.size() * sizeof(float);
  for (std::size_t i = 0; i < header; ++i) {
    for (const int flip : {1, 64, 128}) {
      std::string changed = whole;
      changed[i] = static_cast<char>(changed[i] ^ flip);
      EXPECT_NE(error_of(changed), "") << i;
    }
  }
}

TEST(Npy, RefusesShapesThatNoFileHolds) {
  for (const char* shape : {"()", "(0, 3)", "(6, 0)", "(-6,)", "(2, 4)", "(6)", "(2, 3", "(2,3)",
                            "(4294967296, 4294967296)", "(18446744073709551618, 3)",
                            "(1, 1, 1, 1, 1, 1, 1, 1, 6)", "(67108864, 67108864)"}) {
    EXPECT_NE(error_of(npy_text("<f4", shape, bytes_of(kValues))), "") << shape;
  }
}

TEST(Npy, SaysWhatToWriteInstead) {
  EXPECT_EQ(error_of("PK"), "x.npy: byte 0: is not a .npy file; write it with numpy.save");
  EXPECT_EQ(error_of(npy_text("<f8", "(3,)", bytes_of(kValues))),
            "x.npy: byte 21: is neither '<f4' (float32) nor '<u2' (bits of bfloat16)");
}

TEST(Npy, ReadsRegularFilesAlone) {
  const auto file = std::filesystem::path(testing::TempDir()) / "tensor.npy";
  std::ofstream(file, std::ios::binary) << npy_text("<f4", "(2, 3)", bytes_of(kValues));
  EXPECT_EQ(read_npy(file).values, kValues);
  std::filesystem::resize_file(file, (std::uintmax_t{64} << 20) + 1);  // sparse
  EXPECT_NE(input_error_of([&] { (void)read_npy(file); }).find("64 MiB"), std::string::npos);
  std::filesystem::remove(file);
  for (const char* path : {"/", "/dev/zero", "missing.npy"}) {
    EXPECT_NE(input_error_of([&] { (void)read_npy(path); }), "") << path;
  }
}

}  // namespace
}  // namespace sim
