// The table of traces/calibration/codec_error.json: what each codec does to synthetic and recorded
// tensors, to a reduction, to trained weights, and to gradients over many steps. It is made of
// cells, which do not depend on each other, and measured with samples of several seeds:
// heavy-tailed samples differ, as a sample's largest values decide on the errors of large groups.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <nlohmann/json.hpp>
#include <span>
#include <string>
#include <vector>

#include "codecs/error/all_reduces.hpp"
#include "codecs/error/training.hpp"

namespace codecs {

// Seeds and sizes of a table; the provenance in the file names them.
struct ErrorTableSize {
  std::size_t seeds = 6;  // 1, 2, ..., 6
  // Of weights, feedback and all_reduces: means over many steps, which differ less between seeds;
  // and of reductions over other numbers of ranks.
  std::size_t step_seeds = 2;
  std::size_t elements = std::size_t{1} << 21;       // of each sample; of recorded tensors: at most
  std::size_t rank_elements = std::size_t{1} << 16;  // of each of the 32 ranks' gradients
  std::size_t trained_weights = std::size_t{1} << 15;    // of the Adam trace
  std::size_t feedback_elements = std::size_t{1} << 13;  // of the gradient of each step
  std::size_t feedback_steps = 256;                      // and of the all_reduces
  AllReduceShape all_reduce = {};
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
// "reductions"  row of reductions.hpp    of ranks, "8x4" or "32": figures by distribution, or
//                                        distribution + "_half_common"
// "fed_reductions"                       of ranks, "4x2" or "8": over many steps, with feedback
// "weights"     "bf16", "qW", "qWD" ...  "lr_6e-4" or "lr_6e-5"
// "feedback"    codec                    rule of feedback_error.hpp
// "all_reduces" row of all_reduces.hpp   "normal" or "low_rank"
// Only codecs whose one step loses more than kFeedbackAbove of a normal tensor are in "feedback".
// Of a recorded tensor that is larger than size.elements, the first rows are measured. The cells of
// a seed, which is at least 1; above size.step_seeds the first of them alone.
inline constexpr double kFeedbackAbove = 0.05;  // relative L2
[[nodiscard]] std::vector<ErrorCell> error_cells(const ErrorTableSize& size, std::uint64_t seed,
                                                 std::span<const Tensor> recorded = {});

// The figures of the cells, in their order, by as many threads as there are processors. Calls
// `done`, from one thread at a time, with the number of cells that are. What a cell throws is
// thrown when all threads have stopped.
[[nodiscard]] std::vector<nlohmann::ordered_json> measure(
    std::span<const ErrorCell> cells, const std::function<void(std::size_t)>& done = {});

// One cell's figures from those of its seeds: means, and of "relative_l2" or else "running_sum"
// each seed's under "by_seed", and as "spread" their standard deviation. What not all of the seeds
// have is left out. "bounded" is false where one seed's is.
[[nodiscard]] nlohmann::ordered_json mean_over_seeds(
    std::span<const nlohmann::ordered_json> figures);

// The whole table, with its provenance and "bits_per_element" on the wire of each codec. `done` is
// called with the number of finished cells, and of all.
[[nodiscard]] nlohmann::ordered_json error_table(
    const ErrorTableSize& size, std::span<const Tensor> recorded,
    const std::function<void(std::size_t, std::size_t)>& done);

// A line for each cell, numbers rounded to six significant digits, so that differences can be read.
[[nodiscard]] std::string to_text(const nlohmann::ordered_json& table);

}  // namespace codecs
