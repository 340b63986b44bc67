// SPDX-License-Identifier: Apache-2.0
// What gzip packed is unpacked whatever its name; what is damaged is refused.
#include "sim/base/gzip.hpp"

#include <gtest/gtest.h>

#include <string>

#include "tests/input_errors.hpp"

namespace sim {
namespace {

// printf 'hello hello\n' | gzip -n
const std::string kHello(
    "\x1f\x8b\x08\x00\x00\x00\x00\x00\x00\x03\xcb\x48\xcd\xc9\xc9\x57\xc8\x00\x91\x5c\x00\xa5"
    "\x6a\x0a\x44\x0c\x00\x00\x00",
    29);

std::string unpack_error_of(const std::string& bytes, std::size_t most = 1 << 20) {
  std::string error = input_error_of([&] { static_cast<void>(unpacked(bytes, "x.gz", most)); });
  expect_located(error, "x.gz");
  return error;
}

TEST(Gzip, UnpacksEveryMember) {
  EXPECT_EQ(unpacked(kHello, "x.gz", 100), "hello hello\n");
  EXPECT_EQ(unpacked(kHello + kHello, "x.gz", 100), "hello hello\nhello hello\n");
}

TEST(Gzip, LeavesOtherBytesAlone) {
  EXPECT_EQ(unpacked("{}", "x.gz", 100), "{}");
  EXPECT_EQ(unpacked("", "x.gz", 100), "");
}

TEST(Gzip, RefusesWhatIsCutOffOrDamaged) {
  for (std::size_t size = 2; size < kHello.size(); ++size) {
    EXPECT_EQ(unpack_error_of(kHello.substr(0, size)),
              "x.gz: is cut off: the gzip data has no end; copy the file again")
        << size;
  }
  std::string wrong = kHello;
  wrong[kHello.size() - 8] = '\x01';  // its checksum
  EXPECT_NE(unpack_error_of(wrong).find("is not gzip data"), std::string::npos);
  EXPECT_NE(unpack_error_of(kHello + "rest").find("is not gzip data"), std::string::npos);
}

TEST(Gzip, RefusesMoreThanTheMost) {
  EXPECT_EQ(unpacked(kHello, "x.gz", 12), "hello hello\n");
  EXPECT_EQ(unpack_error_of(kHello, 11),
            "x.gz: is larger than 0 MiB when unpacked; is it the right file?");
}

}  // namespace
}  // namespace sim
