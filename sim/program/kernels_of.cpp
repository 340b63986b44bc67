// SPDX-License-Identifier: Apache-2.0
#include "sim/program/kernels_of.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <string_view>
#include <utility>

#include "sim/program/lay_out.hpp"
#include "sim/times/calibration_rows.hpp"
#include "sim/times/host_codecs.hpp"

namespace sim {
namespace {

// What the kernel works on, as a text goes on: "encode weights".
std::string_view subject(Stream stream) {
  switch (stream) {
    case Stream::weight_codec:
      return " weights";
    case Stream::tensor_codec:
    case Stream::expert_codec:
      return " activations";
    default:
      return "";
  }
}

struct LaunchedUse {
  const CodecUse& use;
  std::string_view subject;
  double count = 1;
};
using Visit = std::function<void(const LaunchedUse&)>;

void visit_kernel(const Kernel& kernel, std::string_view subject, const Visit& visit) {
  for (const Kernel::Launch& launch : kernel.launches) visit({launch.use, subject, launch.count});
}

void for_each_use(const Communication& exchange, const Visit& visit) {
  for (const Part& part : exchange.parts) {
    const auto* kernel = std::get_if<Kernel>(&part.what);
    if (kernel != nullptr) visit_kernel(*kernel, subject(kernel->stream), visit);
  }
}

void for_each_use(const Program& program, const Visit& visit) {
  for (const Communication& one : program.communications) for_each_use(one, visit);
  for (const Instruction& one : program.instructions) {
    if (const auto* codec = std::get_if<Codec>(&one.what)) {
      visit_kernel(codec->kernel, " weights", visit);
    } else if (std::holds_alternative<Send>(one.what) && program.message_encode) {
      visit({*program.message_encode, " between stages"});
    } else if (std::holds_alternative<Receive>(one.what) && program.message_decode) {
      visit({*program.message_decode, " between stages"});
    }
  }
}

std::string what_is_done(const CodecUse& use, std::string_view subject) {
  if (use.step != nullptr) return std::string(use.step->step);
  switch (use.operation) {
    case codecs::Operation::encode:
    case codecs::Operation::encode_feedback:
      return fmt::format("encode{}", subject);
    case codecs::Operation::encode_difference:
      return "encode difference";
    case codecs::Operation::decode:
      return fmt::format("decode{}", subject);
    case codecs::Operation::decode_add:
      return "decode and add";
    case codecs::Operation::decode_reduce:
      return "sum";
    case codecs::Operation::decode_reduce_encode:
      return subject.empty() ? "sum and encode again" : fmt::format("sum{}", subject);
  }
  return "";
}

void note(DoubtfulKernels& notes, ExtrapolatedKernel kernel) {
  const auto known = std::ranges::find_if(notes.extrapolated, [&](const auto& one) {
    return one.codec == kernel.codec && one.step == kernel.step;
  });
  if (known == notes.extrapolated.end()) {
    notes.extrapolated.push_back(std::move(kernel));
  } else if (kernel.excess > known->excess) {
    *known = std::move(kernel);
  }
}

template <class Of>
std::vector<std::string> sources_of(const Of& of, const Calibration& calibration, const Gpu& gpu) {
  std::set<std::string> lines;
  for_each_use(of, [&](const LaunchedUse& launched) {
    const KernelEstimate time = step_codec_time(calibration, gpu, launched.use);
    lines.insert(fmt::format("{} {}: {}", what_is_done(launched.use, launched.subject),
                             launched.use.label(), time.source));
  });
  return {lines.begin(), lines.end()};
}

}  // namespace

std::vector<std::string> codec_sources(const StepContext& context, const Scheme& scheme) {
  return sources_of(lay_out_once(context, scheme), context.calibration, context.cluster.gpu);
}

std::vector<std::string> codec_sources(const Communication& exchange,
                                       const Calibration& calibration, const Gpu& gpu) {
  return sources_of(exchange, calibration, gpu);
}

void KernelDoubts::add_to_card(const CodecCard& card, const CodecUse& use,
                               const KernelEstimate& time, double count) {
  CardSeconds& seconds = cards_[card.name];
  seconds.all += count * time.seconds;
  seconds.fixed += count * time.fixed_s;
  const bool timed = time.sizes.smallest > 0 && use.elements >= time.sizes.smallest;
  if (!timed) seconds.fewest = std::min(seconds.fewest, use.elements);
  if (!time.substituted.empty()) notes_.substituted.insert({card.name, time.substituted});
}

void KernelDoubts::add(const CodecUse& use, const KernelEstimate& time, double count) {
  if (use.step != nullptr) return;
  const auto& card = use.wire.card ? use.wire.card : use.wire_out.card;
  if (card && use.elements > 0) add_to_card(*card, use, time, count);
  const double excess = time.sizes.excess(use.elements);
  if (excess < kFarOff) return;
  note(notes_,
       {.codec = use.label(),
        .step = time.sizes.step.empty() ? std::string(name_of(use.operation)) : time.sizes.step,
        .elements = use.elements,
        .smallest = time.sizes.smallest,
        .largest = time.sizes.largest,
        .excess = excess});
}

DoubtfulKernels KernelDoubts::found() && {
  for (const auto& [codec, seconds] : cards_) {
    const double share = seconds.fixed / seconds.all;
    if (share < kLaunchBound || std::isinf(seconds.fewest)) continue;
    notes_.launch_bound.push_back({codec, share, seconds.fewest});
  }
  return std::move(notes_);
}

DoubtfulKernels doubtful_kernels(const StepContext& context, const Scheme& scheme) {
  KernelDoubts doubts;
  for_each_use(lay_out_once(context, scheme), [&](const LaunchedUse& launched) {
    doubts.add(launched.use,
               step_codec_time(context.calibration, context.cluster.gpu, launched.use),
               launched.count);
  });
  return std::move(doubts).found();
}

}  // namespace sim
