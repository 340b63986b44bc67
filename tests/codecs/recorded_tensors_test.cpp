// SPDX-License-Identifier: Apache-2.0
// Recorded tensors are read with where they come from, or not at all.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <limits>
#include <string>

#include "apps/codec_error/tensors.hpp"
#include "tests/input_errors.hpp"

namespace codecs {
namespace {

namespace fs = std::filesystem;

class RecordedTensors : public testing::Test {
 protected:
  void SetUp() override {
    const std::string name = testing::UnitTest::GetInstance()->current_test_info()->name();
    folder_ = fs::path(testing::TempDir()) / ("recorded_tensors_" + name);
    fs::remove_all(folder_);
    fs::create_directory(folder_);
  }
  void TearDown() override { fs::remove_all(folder_); }

  void write_tensor(const std::string& name, const std::vector<float>& values) const {
    std::string header = "{'descr': '<f4', 'fortran_order': False, 'shape': (" +
                         std::to_string(values.size()) + ",), }";
    header.resize(117, ' ');
    header += '\n';
    std::ofstream file(folder_ / (name + ".npy"), std::ios::binary);
    file << std::string("\x93NUMPY\1\0\x76\0", 10) << header;
    file.write(reinterpret_cast<const char*>(values.data()),
               static_cast<std::streamsize>(values.size() * sizeof(float)));
  }
  void write_sidecar(const std::string& name, const std::string& text) const {
    std::ofstream(folder_ / (name + ".json")) << text;
  }
  [[nodiscard]] std::string error() const {
    return input_error_of([this] { (void)apps::read_tensors(folder_); });
  }
  [[nodiscard]] const fs::path& folder() const { return folder_; }

 private:
  fs::path folder_;
};

TEST_F(RecordedTensors, AreReadInTheOrderOfTheirNames) {
  write_tensor("b", {1, 2, 3});
  write_sidecar("b", R"({"source": "step 7 of a run", "kind": "gradient", "step": 7})");
  write_tensor("a", {4, 5});
  write_sidecar("a", R"({"source": "weights"})");
  std::ofstream(folder() / "README.md") << "what else lies there";
  const auto tensors = apps::read_tensors(folder());
  ASSERT_EQ(tensors.size(), 2u);
  EXPECT_EQ(tensors[0].name, "a");
  EXPECT_EQ(tensors[1].source, "step 7 of a run");
  EXPECT_EQ(tensors[1].shape, std::vector<std::size_t>{3});
  EXPECT_EQ(tensors[1].values, (std::vector<float>{1, 2, 3}));
}

TEST_F(RecordedTensors, AreNoneWhereThereIsNoFolder) {
  EXPECT_NE(input_error_of([this] { (void)apps::read_tensors(folder() / "none"); }), "");
  std::ofstream(folder() / "file") << "no folder";
  EXPECT_NE(input_error_of([this] { (void)apps::read_tensors(folder() / "file"); }), "");
}

TEST_F(RecordedTensors, NeedASource) {
  write_tensor("a", {1, 2});
  EXPECT_NE(error().find("a.json"), std::string::npos);
  for (const char* text : {"", "{}", "[]", R"({"source": ""})", R"({"source": 1})",
                           R"({"source": "x", "sauce": "y"})"}) {
    write_sidecar("a", text);
    EXPECT_NE(error().find("a.json"), std::string::npos) << text;
  }
}

TEST_F(RecordedTensors, HaveAnErrorToMeasure) {
  write_sidecar("a", R"({"source": "x"})");
  write_tensor("a", {1, std::numeric_limits<float>::infinity()});
  EXPECT_NE(error().find("element 1: is not finite"), std::string::npos);
  write_tensor("a", {0, -0.0f});
  EXPECT_NE(error().find("zeros"), std::string::npos);
}

}  // namespace
}  // namespace codecs
