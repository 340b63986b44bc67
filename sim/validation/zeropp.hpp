// ZeRO++'s published speed-ups on 384 V100 (traces/published/zeropp_throughput.csv) beside their
// predictions: ZeRO-3 and ZeRO++ of GPT 18B over networks of 1 to 8 NICs a node.
//
// One constant is fitted, the compute efficiency, on the uncompressed row of the fastest network with
// the larger batch, which communicates least. What slower networks, smaller batches and compression
// change is predicted. Nothing overlaps: DeepSpeed does not say what did; with everything overlapped
// there would be nothing to gain from 2 NICs on, which is not what was measured.
#pragma once

#include <filesystem>
#include <vector>

#include "sim/validation/study.hpp"

namespace sim::validation {

// TFLOPs per GPU without the recomputation, as Prediction has them: "zeropp_throughput/1 NIC, 1024
// tokens/zeropp". Setup::cluster is "dgx2_v100_x24" with NICs and tokens behind it.
[[nodiscard]] std::vector<Measurement> read_zeropp(const std::filesystem::path& folder);

struct ZeroppStudy {
  std::vector<Row> rows;  // null_refit is unused
  std::vector<SpeedUp> speed_ups;
  Fitted fitted;
  double recomputed = 1;  // recomputed_flop() of the model: the publication counts with it
};
// One tick a row.
[[nodiscard]] ZeroppStudy predict_zeropp(const std::filesystem::path& folder,
                                         const std::vector<Measurement>& measurements,
                                         const Tick& tick);

// What Megatron's count of a step's FLOP, with all layers recomputed, is over the one without:
// 96 B s L h^2 (1 + s/6h + V/16Lh) over 72 B s L h^2 (1 + s/6h + V/12Lh) (arXiv 2104.04473, section
// 3.2).
[[nodiscard]] double recomputed_flop(const Model& model);

}  // namespace sim::validation
