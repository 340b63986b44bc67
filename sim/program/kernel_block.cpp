// SPDX-License-Identifier: Apache-2.0
#include "sim/program/kernel_block.hpp"

namespace sim {

KernelBlock kernel_block(const std::vector<BlockTime>& kernels, double slowdown,
                         double beside_channels, const HostIssue& host) {
  const auto part_of = [=](const BlockTime& kernel) {
    return KernelPart{.memory_share = kernel.memory_share(),
                      .beside_channels = kernel.share(kernel.product_seconds) * beside_channels};
  };
  KernelBlock block;
  std::vector<BlockTime> parts;
  for (BlockTime kernel : kernels) {
    kernel.seconds = kernel.memory_seconds + (kernel.seconds - kernel.memory_seconds) * slowdown;
    kernel.product_seconds *= slowdown;
    block.seconds += kernel.seconds;
    if (!host.is_ideal()) block.issued = then(block.issued, host_block(kernel, host));
    const bool alike = !parts.empty() && part_of(parts.back()) == part_of(kernel);
    if (alike) {
      parts.back() += kernel;
    } else if (kernel.seconds > 0) {
      parts.push_back(kernel);
    }
  }
  for (const BlockTime& part : parts) {
    block.parts.push_back(part_of(part));
    block.parts.back().share = part.seconds / block.seconds;
  }
  if (block.parts.empty()) block.parts.emplace_back();
  return block;
}

HostBlock host_block(const BlockTime& kernel, const HostIssue& host) {
  return kernel.seconds > 0 ? launched(kernel.launches, host.issue_s(), kernel.seconds)
                            : HostBlock{};
}

}  // namespace sim
