// SPDX-License-Identifier: Apache-2.0
// The codec kernels of a scheme, from its program: where their times come from, and how far those
// are to be trusted.
#pragma once

#include <limits>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "sim/program/communication.hpp"
#include "sim/program/plan_step.hpp"

namespace sim {

// The source of each codec kernel's time: "encode int8_g128_sr: ...".
[[nodiscard]] std::vector<std::string> codec_sources(const StepContext& context,
                                                     const Scheme& scheme);
// The same of one exchange.
[[nodiscard]] std::vector<std::string> codec_sources(const Communication& exchange,
                                                     const Calibration& calibration,
                                                     const Gpu& gpu);

// Kernels that are so many times smaller or larger than those measured are noted.
inline constexpr double kFarOff = 2;

// A codec's kernel whose time was extrapolated from the measured sizes.
struct ExtrapolatedKernel {
  std::string codec, step;  // "mine", "decode_reduce"
  double elements = 0;      // of its launch furthest from those sizes
  double smallest = 0, largest = 0;
  double excess = 1;  // elements over the largest, or the smallest over elements
};

// A kernel that a codec's card has no time for.
struct SubstitutedKernel {
  std::string codec;  // "mine"
  std::string what;   // "decode_reduce of 16 inputs: 16 decodes and 15 memory passes"
  auto operator<=>(const SubstitutedKernel&) const = default;
};

// A card whose kernels take kLaunchBound or more of their time however few elements they have, at sizes
// for which that was not timed.
inline constexpr double kLaunchBound = 0.5;
struct LaunchBoundCard {
  std::string codec;  // "mine"
  double share = 0;   // of the time of all its kernels in a step
  double fewest = 0;  // elements of a launch, fewer than any that was timed
};

struct DoubtfulKernels {
  std::vector<ExtrapolatedKernel> extrapolated;  // by a factor of kFarOff or more, one of a step
  std::set<SubstitutedKernel> substituted;
  std::vector<LaunchBoundCard> launch_bound;
};
[[nodiscard]] DoubtfulKernels doubtful_kernels(const StepContext& context, const Scheme& scheme);

// Gathers them from launches, here or between sites.
class KernelDoubts {
 public:
  // So many launches, each of this time.
  void add(const CodecUse& use, const KernelEstimate& time, double count = 1);
  [[nodiscard]] DoubtfulKernels found() &&;

 private:
  // What the kernels of one card take.
  struct CardSeconds {
    double all = 0, fixed = 0;
    double fewest = std::numeric_limits<double>::infinity();  // elements, of sizes not timed
  };
  void add_to_card(const CodecCard& card, const CodecUse& use, const KernelEstimate& time,
                   double count);

  DoubtfulKernels notes_;
  std::map<std::string, CardSeconds> cards_;
};

}  // namespace sim
