// SPDX-License-Identifier: Apache-2.0
#include <cstdlib>

#include "sim/topology/cluster.hpp"
#include "tests/fuzz/reader_fuzz.hpp"

// A cluster that reads is one that the rest of the program may divide by and index with.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  fuzz_reader(bytes, size, [](auto text, const auto& file, auto settings) {
    const sim::Cluster cluster = sim::parse_cluster(text, file, settings);
    const sim::Network& network = cluster.network;
    bool sound = network.gpu_nic.size() == static_cast<std::size_t>(cluster.gpus_per_node) &&
                 network.nic_bandwidth > sim::Bandwidth{} && cluster.gpu.bf16 > sim::FlopRate{} &&
                 network.efficiency > 0 && network.efficiency <= 1;
    for (const int nic : network.gpu_nic) sound = sound && nic >= 0 && nic < network.nics_per_node;
    if (!sound) std::abort();
  });
  return 0;
}
