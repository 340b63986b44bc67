// SPDX-License-Identifier: Apache-2.0
#include "sim/collectives/nccl/constants.hpp"

#include <algorithm>
#include <array>
#include <cmath>

namespace sim::nccl {
namespace {

// By nodes: one, two, more.
using ByNodes = std::array<double, 3>;
enum Generation : std::size_t { kVolta, kAmpere, kHopper, kBlackwellGpu };
using ByGeneration = std::array<ByNodes, 4>;

Generation generation_of(int compute_capability) {
  if (compute_capability >= 100) return kBlackwellGpu;
  if (compute_capability >= 90) return kHopper;
  return compute_capability >= 80 ? kAmpere : kVolta;
}

// Before 2.25, Blackwell is as Hopper.
Generation generation_of(NcclVersion version, const Group& group) {
  const Generation generation = generation_of(group.compute_capability);
  return version < kBlackwell ? std::min(generation, kHopper) : generation;
}

double at(const ByGeneration& values, Generation generation, const Group& group) {
  return values[generation][static_cast<std::size_t>(std::min(group.nodes, 3) - 1)];
}

// Steps of an algorithm by LL, LL128 and Simple, over NVLink, PCIe and the network.
using Steps = std::array<std::array<double, 3>, 3>;

constexpr Steps kRing{{{0.6, 1.9, 3.4}, {1.0, 2.5, 5.7}, {2.7, 4.0, 14.0}}};
constexpr Steps kPatSteps{{{0, 0, 4.0}, {0, 0, 4.0}, {0, 0, 14}}};

Steps tree_steps(NcclVersion version) {
  Steps steps{{{0.6, 1.25, 4.0}, {1.0, 1.9, 4.0}, {5.0, 8.5, 14.0}}};
  if (version < kGathersInSwitch) steps[1][2] = 6.0;
  if (version >= kGathersInSwitch && version < kLoneGpusAsTrees) {
    for (auto& step : steps) step[2] = 28.0;
  }
  return steps;
}

double inside_switch_us(NcclVersion version) {
  if (version < kGathersInSwitch) return 0;  // start_us() contains it
  return version < kHalfByLl ? 23 : 25;
}

Steps switch_steps(NcclVersion version, bool trees) {
  const double between_us = !trees                        ? 18
                            : version < kGathersInSwitch  ? 19
                            : version < kSwitchEfficiency ? 14
                                                          : 20.9;
  return {{{0, 0, inside_switch_us(version)}, {}, {0, 0, between_us}}};
}

Steps steps_of(NcclVersion version, Algorithm algorithm) {
  switch (algorithm) {
    case Algorithm::tree:
      return tree_steps(version);
    case Algorithm::ring:
      return kRing;
    case Algorithm::nvls:
    case Algorithm::nvls_tree:
      return switch_steps(version, algorithm == Algorithm::nvls_tree);
    case Algorithm::pat:
      return kPatSteps;
  }
  return {};
}

}  // namespace

double step_us(NcclVersion version, Link link, Algorithm algorithm, Protocol protocol) {
  return steps_of(version,
                  algorithm)[static_cast<std::size_t>(link)][static_cast<std::size_t>(protocol)];
}

double start_us(NcclVersion version, Algorithm algorithm, Protocol protocol) {
  if (algorithm == Algorithm::pat) return 8;
  const bool tree = algorithm == Algorithm::tree;
  if (!tree && algorithm != Algorithm::ring) {
    const bool in_switch = algorithm == Algorithm::nvls || algorithm == Algorithm::nvls_tree;
    return in_switch && version < kGathersInSwitch ? 23 : 0;
  }
  if (protocol == Protocol::ll) return tree ? 6.8 : 6.6;
  if (protocol == Protocol::ll128) return 14;
  return tree && version < kLoneGpusAsTrees ? 0 : 8.4;
}

double ll_GBps(NcclVersion version, const Group& group) {
  ByGeneration most{{{39, 39, 20.4}, {87.7, 22.5, 19}, {141, 45, 35}, {282, 90, 70}}};
  if (version < kHalfByLl) most[kHopper] = most[kAmpere];
  // Between nodes by the processor: AMD's is in the second row.
  if (group.nodes > 1) return at(most, group.processor == Processor::amd ? kAmpere : kVolta, group);
  return at(most, generation_of(version, group), group);
}

double ring_ll128_channel_GBps(NcclVersion version, const Group& group) {
  ByGeneration most{{{20, 20, 20}, {20, 20, 20}, {36.7, 36.7, 36.7}, {73.4, 73.4, 73.4}}};
  if (version == kSwitchEfficiency) most[kBlackwellGpu] = {73.4, 34.6, 73.4};
  if (version > kSwitchEfficiency) most[kBlackwellGpu] = {40, 40, 40};
  return at(most, generation_of(version, group), group);
}

double tree_ll128_channel_GBps(NcclVersion version, const Group& group) {
  ByGeneration most{{{20, 20, 20}, {20, 20, 20}, {36.7, 36.7, 29}, {73.4, 73.4, 58}}};
  if (version >= kSwitchEfficiency) most[kBlackwellGpu] = {55.6, 31.67, 20};
  return at(most, generation_of(version, group), group);
}

double tree_channel_GBps(NcclVersion version, const Group& group) {
  ByGeneration most{{{26.5, 18.5, 10}, {24, 23.6, 17.8}, {38.7, 41.4, 36}, {77.4, 82.8, 72}}};
  if (version >= kSwitchEfficiency) most[kBlackwellGpu] = {70, 42.8, 24};
  return at(most, generation_of(version, group), group);
}

double nvls_tree_channel_GBps(const Group& group) {
  constexpr ByGeneration kMost{
      {{26.5, 18.5, 10}, {24, 23.6, 17.8}, {0, 57.7, 45.5}, {0, 96, 43.8}}};
  return at(kMost, generation_of(group.compute_capability), group);
}

double switch_efficiency(const Group& group) {
  constexpr std::array<double, 4> kEfficiency{0, 0, 0.85, 0.74};
  return kEfficiency[generation_of(group.compute_capability)];
}

bool has_ll128(NcclVersion version, int compute_capability) {
  constexpr NcclVersion kAllFromVolta{27};
  if (version >= kAllFromVolta) return compute_capability >= 70;
  for (const int one : {70, 80, 90}) {
    if (compute_capability == one) return true;
  }
  return version >= kBlackwell && (compute_capability == 100 || compute_capability == 120);
}

double tree_correction(NcclVersion version, Protocol protocol, double bytes) {
  // From 64 B to 256 MiB, by powers of two.
  constexpr std::size_t kSizes = 23;
  constexpr std::array<std::array<double, kSizes>, 3> kReached{
      {{1, 1, 1, 1, .9, .8, .7, .7, .7, .7, .6, .5, .4, .4, .5, .6, .7, .8, .9, 1, 1, 1, 1},
       {1, 1, 1, 1, 1, .9, .8, .8, .8, .7, .6, .6, .6, .6, .6, .6, .8, .9, .9, .9, .9, 1, 1},
       {.9, .9, .9, .9, .9, .9, .9, .8, .7, .6, .6, .5,
        .5, .5, .5, .6, .7, .8, .7, .7, .8, .9, .9}}};
  const double size = std::floor(std::log2(std::floor(bytes / 64)));
  if (!(size >= 0)) return 1;  // of fewer bytes: the logarithm is none
  const auto& reached = kReached[static_cast<std::size_t>(protocol)];
  constexpr NcclVersion kLonger{29};
  const double last = version >= kLonger ? kSizes : kSizes - 1;
  if (size > last) return 1;
  return reached[std::min(static_cast<std::size_t>(size), kSizes - 1)];
}

bool corrects_nvls_tree(NcclVersion version, const Group& group) {
  constexpr NcclVersion kSince{29};
  return version >= kSince && group.compute_capability >= 100 && group.processor != Processor::arm;
}

}  // namespace sim::nccl
