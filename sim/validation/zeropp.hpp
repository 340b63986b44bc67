// SPDX-License-Identifier: Apache-2.0
// ZeRO++'s published speed-ups on 384 V100 (traces/published/zeropp_throughput.csv) beside their
// predictions: ZeRO-3 and ZeRO++ of GPT 18B over networks of 1 to 8 NICs per node.
//
// One constant is fitted, the compute efficiency, on the uncompressed row of the fastest network
// with the larger batch, which communicates least. The effects of slower networks, smaller batches
// and compression are predicted. Nothing overlaps: DeepSpeed does not say what did; with full
// overlap, ZeRO++ would gain at most 8 % from 2 NICs on, far less than was measured.
#pragma once

#include <filesystem>
#include <vector>

#include "sim/validation/study.hpp"

namespace sim::validation {

// TFLOPs per GPU without the recomputation, as in Prediction: "zeropp_throughput/1 NIC, 1024
// tokens/zeropp". Setup::cluster is "dgx2_v100_x24" followed by NICs and tokens.
[[nodiscard]] std::vector<Measurement> read_zeropp(const std::filesystem::path& folder);

struct ZeroppStudy {
  std::vector<Row> rows;  // null_refit is unused
  std::vector<SpeedUp> speed_ups;
  Fitted fitted;
  double recomputed = 1;  // recomputed_flop() of the model: the publication counts recomputed FLOP
};
// One tick per row.
[[nodiscard]] ZeroppStudy predict_zeropp(const std::filesystem::path& folder,
                                         const std::vector<Measurement>& measurements, int jobs,
                                         const Tick& tick);

// Megatron's count of a step's FLOP with all layers recomputed, over the count without
// recomputation: 96 B s L h^2 (1 + s/6h + V/16Lh) over 72 B s L h^2 (1 + s/6h + V/12Lh) (arXiv
// 2104.04473, section 3.2).
[[nodiscard]] double recomputed_flop(const Model& model);

}  // namespace sim::validation
