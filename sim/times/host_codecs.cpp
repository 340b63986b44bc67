// SPDX-License-Identifier: Apache-2.0
#include "sim/times/host_codecs.hpp"

#include <algorithm>
#include <utility>
#include <vector>

#include "sim/topology/ranks.hpp"

namespace sim {

Calibration with_cores(Calibration host, const Cluster& cluster) {
  if (!cluster.host.cores) return host;
  const double wanted = 1.0 * host.threads * ranks_per_host(cluster);
  const double longer = std::max(1.0, wanted / *cluster.host.cores);
  host.codec_slowdown *= longer;
  *host.copy_bandwidth = *host.copy_bandwidth / longer;
  return host;
}

bool hosts_encode(const Wire& wire, const Calibration& calibration) {
  const bool timed_on_gpu = wire.card && wire.card->has_times();
  return calibration.host_codecs != nullptr && !timed_on_gpu;
}

bool hosts_encode_step(const Wire& wire, const Calibration& calibration) {
  return calibration.hosts_encode_steps && hosts_encode(wire, calibration);
}

namespace {

// A sum that is encoded again is one kernel on a GPU; processors have one for each half.
std::vector<CodecUse> parts_of(const CodecUse& use) {
  if (use.operation != codecs::Operation::decode_reduce_encode) return {use};
  CodecUse sum = use, encode = use;
  sum.operation = codecs::Operation::decode_reduce;
  encode.operation = codecs::Operation::encode;
  encode.wire = use.wire_out;
  sum.wire_out = encode.wire_out = {};
  encode.inputs = 1;
  return {sum, encode};
}

}  // namespace

KernelEstimate host_codec_time(const Calibration& calibration, const CodecUse& use) {
  const Calibration& table = *calibration.host_codecs;
  const Gpu processor{
      .name = table.gpu, .memory_bandwidth = *table.copy_bandwidth, .memory_efficiency = 1};
  KernelEstimate time;
  for (const CodecUse& part : parts_of(use)) {
    KernelEstimate one = codec_time(table, processor, part);
    one.seconds += time.seconds;
    one.fixed_s += time.fixed_s;
    time = std::move(one);
  }
  return slowed(std::move(time), calibration);
}

KernelEstimate step_codec_time(const Calibration& calibration, const Gpu& gpu,
                               const CodecUse& use) {
  return hosts_encode_step(use.wire, calibration) ? host_codec_time(calibration, use)
                                                  : codec_time(calibration, gpu, use);
}

}  // namespace sim
