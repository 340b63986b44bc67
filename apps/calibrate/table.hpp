// SPDX-License-Identifier: Apache-2.0
// The calibration table as JSON: its rows, the floor to which they are compared, its provenance.
#pragma once

#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "codecs/codec.hpp"
#include "codecs/method.hpp"

namespace calibrate {

using Json = nlohmann::ordered_json;

struct Time {
  double median_s = 0;
  double spread_s = 0;
  int launches = 0;
};

// One size of one kernel.
struct KernelRow {
  const codecs::Codec* codec = nullptr;
  const codecs::Codec* to = nullptr;  // of decode_reduce_encode alone
  codecs::KernelShape shape = {};
  std::size_t elements = 0;
  std::string variant = {};  // "" for an operation of the table
};

// Bytes that the codec's memory traffic cannot avoid.
[[nodiscard]] double moved_bytes(const KernelRow& row);
[[nodiscard]] Json json_of(const KernelRow& row, const Time& time);

// One size of a method's step; parameters that it does not take are left out.
[[nodiscard]] Json json_of(const codecs::MethodStep& step, const codecs::StepShape& shape,
                           const Time& time);
// "one_bit_adam reduce of 16, 262144"
[[nodiscard]] std::string name_of(const codecs::MethodStep& step, const codecs::StepShape& shape);

// Time of a copy by the bytes that it moves, read and written together: linear between measured
// sizes in the logarithm of both, like the simulator's interpolation.
class Floor {
 public:
  // Rows {moved_bytes, median_s, ...} of the table's "copy", ascending; at least one.
  explicit Floor(const Json& rows);
  [[nodiscard]] double seconds(double moved_bytes) const;
  // Of the largest copy.
  [[nodiscard]] double bandwidth_Bps() const;

 private:
  struct Copy {
    double moved_bytes, seconds;
  };
  std::vector<Copy> copies_;
};

// Rows of one size each as the table has them: a row for each kernel, in which what depends on the
// size is a list. Times are rounded to five digits.
[[nodiscard]] Json by_kernel(const Json& rows);
// The inverse, of one row.
[[nodiscard]] std::vector<Json> by_size(const Json& row);

// One line per row and per other value, so that tables can be read and compared.
[[nodiscard]] std::string text_of(const Json& table);

struct Provenance {
  std::string source, device, architecture, driver, cuda, commit, command;
};
[[nodiscard]] Json json_of(const Provenance& provenance);  // and today's date, UTC

// "traces/calibration/nvidia_h200.json"
[[nodiscard]] std::filesystem::path default_output(std::string gpu);

}  // namespace calibrate
