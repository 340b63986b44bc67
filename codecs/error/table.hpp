// SPDX-License-Identifier: Apache-2.0
// The table of traces/calibration/codec_error.json: the effect of each codec on synthetic and
// recorded tensors, on a reduction, on trained weights, and on gradients over many steps. It
// consists of independent cells and is measured with samples of several seeds: heavy-tailed samples
// differ, because a sample's largest values determine the errors of large groups.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <nlohmann/json_fwd.hpp>
#include <span>
#include <string>
#include <vector>

#include "codecs/error/all_reduces.hpp"
#include "codecs/error/training.hpp"

namespace codecs {

// Seeds and sizes of a table; the provenance in the file names them.
struct ErrorTableSize {
  std::size_t seeds = 6;  // 1, 2, ..., 6
  // For weights, feedback and all_reduces, means over many steps, which vary less between seeds;
  // and for reductions over other numbers of ranks.
  std::size_t step_seeds = 2;
  std::size_t elements = std::size_t{1} << 21;       // of each sample; of recorded tensors: at most
  std::size_t rank_elements = std::size_t{1} << 16;  // of each of the 32 ranks' gradients
  std::size_t trained_weights = std::size_t{1} << 15;    // of the Adam trace
  std::size_t feedback_elements = std::size_t{1} << 13;  // of the gradient of each step
  std::size_t feedback_steps = 256;                      // and of the all_reduces
  AllReduceShape all_reduce = {};
};

// One measurement: table[section][row][column] = measure(). A measurement of a whole row has no
// column and returns all columns.
struct ErrorCell {
  std::string section;
  std::string row;
  std::string column;
  std::function<nlohmann::ordered_json()> measure;  // may run concurrently with any other cell's
};

// section       row                      column
// "codecs"      codec                    distribution
// "tensors"     codec                    a tensor of training.hpp or `recorded`
// "reductions"  row of reductions.hpp    of ranks, "8x4" or "32": figures by distribution, or
//                                        distribution + "_half_common"
// "fed_reductions"                       of ranks, "4x2" or "8": over many steps, with feedback
// "weights"     weights_name()           "lr_6e-4" or "lr_6e-5"
// "feedback"    codec                    rule of feedback_error.hpp
// "all_reduces" row of all_reduces.hpp   "normal" or "low_rank"
// "feedback" has only codecs whose one-step error exceeds kFeedbackAbove for a normal tensor. A
// recorded tensor larger than size.elements is cut to its first rows. The cells of a seed, which is
// at least 1; above size.step_seeds, only the first of them.
inline constexpr double kFeedbackAbove = 0.05;  // relative L2
[[nodiscard]] std::vector<ErrorCell> error_cells(const ErrorTableSize& size, std::uint64_t seed,
                                                 std::span<const Tensor> recorded = {});

// The figures of the cells, in order, computed by as many threads as there are processors. Calls
// `done`, from one thread at a time, with the number of finished cells. Rethrows a cell's exception
// once all threads have stopped.
[[nodiscard]] std::vector<nlohmann::ordered_json> measure(
    std::span<const ErrorCell> cells, const std::function<void(std::size_t)>& done = {});

// One cell's figures from those of its seeds: means; and for "relative_l2", or else "running_sum",
// each seed's figure under "by_seed", and their standard deviation as "spread". Figures that some
// seeds lack are left out. "bounded" is false if it is false for any seed.
[[nodiscard]] nlohmann::ordered_json mean_over_seeds(
    std::span<const nlohmann::ordered_json> figures);

// How the table was measured.
[[nodiscard]] nlohmann::ordered_json error_provenance(const ErrorTableSize& size,
                                                      std::span<const Tensor> recorded);

// The whole table, with its provenance and each codec's "bits_per_element" on the wire; with
// `only`, that codec's rows alone. Calls `done` with the number of finished cells and of all cells.
[[nodiscard]] nlohmann::ordered_json error_table(
    const ErrorTableSize& size, std::span<const Tensor> recorded,
    const std::function<void(std::size_t, std::size_t)>& done, const Codec* only = nullptr);

// `table` with the rows of one codec replaced by those of `measured`, in the registry's order.
// Rows of codecs that are no longer in the registry go.
[[nodiscard]] nlohmann::ordered_json with_rows_of(const Codec& codec, nlohmann::ordered_json table,
                                                  const nlohmann::ordered_json& measured);

// One line per cell, numbers rounded to six significant digits, for readable diffs.
[[nodiscard]] std::string to_text(const nlohmann::ordered_json& table);

}  // namespace codecs
