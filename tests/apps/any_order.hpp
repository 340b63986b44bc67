// SPDX-License-Identifier: Apache-2.0
// Flags of a random small step: of any sharding, order of a pipeline's stages, and overlap.
#pragma once

#include <initializer_list>
#include <random>
#include <string>

namespace apps_tests {

inline std::string any_order(std::mt19937& random) {
  const auto one_of = [&](std::initializer_list<const char*> all) {
    return std::string(all.begin()[random() % all.size()]) + " ";
  };
  return "--topology " +
         one_of({"dgx_h100_x16", "aws_p4d", "roce_a100_2to1", "gb200_nvl72", "perlmutter"}) +
         "--nodes " + one_of({"1", "2", "2", "3", "4"}) + "--model " +
         one_of({"gpt_1.3b --set model.layers=8", "llama_3_8b --set model.layers=8",
                 "mixtral_8x7b --set model.layers=8", "deepseek_v2_lite --set model.layers=7"}) +
         "--sequence 2048 --attention fused --tp " + one_of({"1", "1", "2", "4"}) + "--pp " +
         one_of({"1", "2", "2", "4"}) + "--virtual-stages " + one_of({"1", "2", "2", "4"}) +
         "--cp " + one_of({"1", "1", "1", "2"}) + "--ep " + one_of({"1", "2", "4", "8"}) +
         one_of({"", "--etp 1"}) + "--sequence-parallel " + one_of({"on", "off"}) + "--placement " +
         one_of({"tp-dp-pp", "tp-pp-dp"}) + "--accumulation " + one_of({"1", "4", "8", "16"}) +
         "--recompute " + one_of({"none", "selective", "full", "alternate"}) + "--overlap " +
         one_of({"none", "all", "weights", "gradients", "tensor,weights", "all,batches"}) +
         "--gradient-precision " + one_of({"fp32", "bf16"}) +
         one_of({"--zero 0 --scheme data_parallel", "--zero 1 --scheme sharded",
                 "--zero 2 --scheme sharded", "--zero 3 --scheme sharded",
                 "--zero 3 --scheme sharded", "--zero 3 --scheme sharded --reshard off",
                 "--zero 3 --scheme sharded --hybrid-shard 4", "--zero 3 --scheme zeropp",
                 "--zero 3 --scheme hpz", "--zero 1 --scheme sdp4bit", "--zero 3 --scheme qsdp",
                 "--zero 3 --scheme sharded --unit-layers 2", "--zero 1 --scheme tlq_hs",
                 "--zero 3 --scheme sharded --prefetch 0",
                 "--zero 3 --scheme sharded --backward-prefetch post"}) +
         "--set network.nic_bandwidth=" + one_of({"25Gbps", "100Gbps", "400Gbps"});
}

}  // namespace apps_tests
