// SPDX-License-Identifier: Apache-2.0
#include "sim/workload/attention_support.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>
#include <vector>

#include "sim/topology/compute_efficiency.hpp"

namespace sim {
namespace {

using Words = std::vector<std::string>;  // from the names of GPUs

struct AttentionSupport {
  Attention kernel;
  std::string_view name, written_for;
  Words not_on;
};

Words joint(std::initializer_list<Words> parts) {
  Words all;
  for (const Words& part : parts) all.insert(all.end(), part.begin(), part.end());
  return all;
}

// The READMEs of github.com/Dao-AILab/flash-attention: 1 needs Turing or Ampere, 2 Ampere or later, or
// AMD's MI200 or MI300; 3 "H100 / H800"; 4 is "optimized for Hopper and Blackwell GPUs". And cuDNN's
// support matrix: NVIDIA's GPUs from Ampere on.
const std::vector<AttentionSupport>& supports() {
  static const Words volta{"V100"}, amd{"MI210", "MI250", "MI250X", "MI300A", "MI300X", "MI325X"},
      ampere{"A100", "A800", "A10", "A30", "A40"}, ada{"L4", "L40", "L40S"},
      blackwell{"B100", "B200", "B300", "GB200", "GB300"};
  static const std::vector<AttentionSupport> all{
      {Attention::flash1, "flash1", "Turing and later", volta},
      {Attention::flash2, "flash2", "Ampere and later", volta},
      {Attention::flash3, "flash3", "Hopper", joint({volta, ampere, ada, blackwell, amd})},
      {Attention::flash4, "flash4", "Hopper and Blackwell", joint({volta, ampere, ada, amd})},
      {Attention::cudnn, "cudnn", "NVIDIA's Ampere and later", joint({volta, amd})}};
  return all;
}

}  // namespace

std::string attention_problem(const Gpu& gpu, Attention kernel) {
  const auto row = std::ranges::find(supports(), kernel, &AttentionSupport::kernel);
  if (row == supports().end() || !names_gpu(gpu.name, row->not_on)) return "";
  return fmt::format(
      "`attention`: {} is written for {} and does not run on {}; choose fused, the usual kernel "
      "there, or unfused",
      row->name, row->written_for, gpu.name);
}

}  // namespace sim
