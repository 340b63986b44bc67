// SPDX-License-Identifier: Apache-2.0
#include "sim/program/kernels_of.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <string_view>

#include "sim/program/lay_out.hpp"
#include "sim/times/calibration_rows.hpp"

namespace sim {
namespace {

// What the kernel works on, as a text goes on: "encode weights".
std::string_view subject(Stream stream) {
  switch (stream) {
    case Stream::weight_codec:
      return " weights";
    case Stream::tensor_codec:
      return " activations";
    default:
      return "";
  }
}

using Visit = std::function<void(const CodecUse& use, std::string_view subject)>;

void visit_kernel(const Kernel& kernel, std::string_view subject, const Visit& visit) {
  for (const Kernel::Launch& launch : kernel.launches) visit(launch.use, subject);
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
    } else if (const auto* send = std::get_if<Send>(&one.what); send && send->encode) {
      visit(*send->encode, " between stages");
    } else if (const auto* receive = std::get_if<Receive>(&one.what); receive && receive->decode) {
      visit(*receive->decode, " between stages");
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

template <class Launches>
std::vector<std::string> sources_of(const Launches& launches, const Calibration& calibration,
                                    const Gpu& gpu) {
  std::set<std::string> lines;
  for_each_use(launches, [&](const CodecUse& use, std::string_view subject) {
    const KernelEstimate time = codec_time(calibration, gpu, use);
    lines.insert(fmt::format("{} {}: {}", what_is_done(use, subject), use.label(), time.source));
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

DoubtfulKernels doubtful_kernels(const StepContext& context, const Scheme& scheme) {
  DoubtfulKernels notes;
  for_each_use(lay_out_once(context, scheme), [&](const CodecUse& use, std::string_view) {
    const KernelEstimate time = codec_time(context.calibration, context.cluster.gpu, use);
    if (!time.substituted.empty()) {
      const auto& card = use.wire.card ? use.wire.card : use.wire_out.card;
      notes.substituted.insert({card->name, time.substituted});
    }
    const double excess = use.step == nullptr ? time.sizes.excess(use.elements) : 1;
    if (excess < kFarOff) return;
    note(notes,
         {.codec = use.label(),
          .step = time.sizes.step.empty() ? std::string(name_of(use.operation)) : time.sizes.step,
          .elements = use.elements,
          .smallest = time.sizes.smallest,
          .largest = time.sizes.largest,
          .excess = excess});
  });
  return notes;
}

}  // namespace sim
