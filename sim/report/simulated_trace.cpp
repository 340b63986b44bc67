// SPDX-License-Identifier: Apache-2.0
#include "sim/report/simulated_trace.hpp"

#include <algorithm>
#include <cmath>
#include <string_view>
#include <tuple>
#include <unordered_map>

namespace sim {
namespace {

using trace::KernelClass;

struct LabelPart {
  std::string_view part;
  KernelClass value;
};

// Operators by words of their names (sim/workload), the first that occurs: what is done to the result
// of a product comes before the product.
constexpr LabelPart kOperatorParts[] = {
    {"cast", KernelClass::codec},
    {"transpose", KernelClass::codec},
    {"dropout", KernelClass::dropout},
    {"softmax", KernelClass::softmax},
    {"norm", KernelClass::norm},
    {"loss", KernelClass::loss},
    {"metric", KernelClass::loss},
    {"bias gradient", KernelClass::reduction},
    {"attention scores", KernelClass::attention},
    {"attention values", KernelClass::attention},
    {"bias", KernelClass::elementwise},
    {"residual", KernelClass::elementwise},
    {"activation", KernelClass::elementwise},
    {"rotary", KernelClass::elementwise},
    {"alibi", KernelClass::elementwise},
    {"heads to hidden", KernelClass::elementwise},
    {"repeat keys", KernelClass::elementwise},
    {"join query", KernelClass::elementwise},
    {"logits", KernelClass::product},
    {"query, key, value", KernelClass::product},
    {"attention output", KernelClass::product},
    {"feed-forward up", KernelClass::product},
    {"feed-forward down", KernelClass::product},
    {"embedding", KernelClass::embedding},
};

// Collectives by their names, of which labels may be made; else by what they are for.
constexpr LabelPart kCollectiveParts[] = {
    {"all_reduce", KernelClass::all_reduce},         {"all_gather", KernelClass::all_gather},
    {"reduce_scatter", KernelClass::reduce_scatter}, {"all_to_all", KernelClass::send_receive},
    {"broadcast", KernelClass::broadcast},
};

template <std::size_t N>
const LabelPart* first_in(std::string_view label, const LabelPart (&parts)[N]) {
  const auto* row = std::ranges::find_if(
      parts, [&](const LabelPart& one) { return label.find(one.part) != std::string_view::npos; });
  return row == std::end(parts) ? nullptr : row;
}

KernelClass collective_class(Phase phase, std::string_view label) {
  if (const LabelPart* row = first_in(label, kCollectiveParts)) return row->value;
  switch (phase) {
    case Phase::tensor_comm:
    case Phase::norm_comm:
      return KernelClass::all_reduce;
    case Phase::weight_comm:
    case Phase::optimizer_comm:
      return KernelClass::all_gather;
    case Phase::gradient_comm:
      return KernelClass::reduce_scatter;
    default:
      return KernelClass::send_receive;
  }
}

KernelClass kernel_class(Phase phase, std::string_view label) {
  switch (phase) {
    case Phase::optimizer:
      return KernelClass::optimizer;
    case Phase::encode:
    case Phase::decode:
      return KernelClass::codec;
    case Phase::memory_pass:
    case Phase::host_copy:
      return KernelClass::copy;
    default:
      const LabelPart* row = first_in(label, kOperatorParts);
      return row == nullptr ? KernelClass::unexplained : row->value;
  }
}

// By label and kind of operation; a label may be both an operator's and a collective's.
class SimulatedNames {
 public:
  SimulatedNames(const Schedule& schedule, trace::Trace& into) : schedule_(schedule), into_(into) {
    // Only scores that are written out have a softmax of their own.
    unfused_ = std::ranges::any_of(schedule.labels, [](const std::string& label) {
      return label.find("softmax") != std::string::npos;
    });
  }

  std::uint32_t of(const Operation& operation) {
    const bool is_member = operation.kind == OperationKind::member;
    const auto key = (std::uint64_t{operation.label} << 16) |
                     (static_cast<std::uint64_t>(operation.phase) << 1) | (is_member ? 1 : 0);
    const auto [index, is_new] =
        known_.try_emplace(key, static_cast<std::uint32_t>(into_.names.size()));
    if (is_new) {
      const std::string& label = schedule_.labels[operation.label];
      KernelClass value = is_member ? collective_class(operation.phase, label)
                                    : kernel_class(operation.phase, label);
      if (value == KernelClass::attention && unfused_) value = KernelClass::product;
      into_.names.push_back({trace::simulated_name(value, label), value});
    }
    return index->second;
  }

 private:
  const Schedule& schedule_;
  trace::Trace& into_;
  bool unfused_ = false;
  std::unordered_map<std::uint64_t, std::uint32_t> known_;
};

int ranks_of_job(const Schedule& schedule) {
  std::size_t ranks = 0;
  for (const std::vector<int>& alike : schedule.alike) ranks += alike.size();
  return static_cast<int>(ranks);
}

}  // namespace

trace::Trace simulated_trace(const Schedule& schedule, const Timeline& timeline,
                             const std::string& device, int ranks) {
  const int shown = ranks > 0 ? std::min(ranks, schedule.ranks) : schedule.ranks;
  trace::Trace trace;
  trace.file = "simulated step";
  trace.device = device;
  trace.ranks = ranks_of_job(schedule);
  trace.steps.push_back({"ProfilerStep#0", 0, timeline.makespan_s});
  for (int rank = 0; rank < shown; ++rank) {
    trace.gpus.push_back(schedule.alike[static_cast<std::size_t>(rank)].front());
  }
  if (shown == 1) trace.rank = static_cast<int>(trace.gpus.front());
  SimulatedNames names(schedule, trace);
  for (std::size_t id = 0; id < schedule.operations.size(); ++id) {
    const Operation& operation = schedule.operations[id];
    const bool is_kernel = operation.kind == OperationKind::work ||
                           operation.kind == OperationKind::member ||
                           operation.phase == Phase::host_copy;
    if (!is_kernel || operation.rank < 0 || operation.rank >= shown) continue;
    const double duration_s = timeline.end_s[id] - timeline.start_s[id];
    if (!(duration_s > 0)) continue;
    trace.kernels.push_back({.name = names.of(operation),
                             .gpu = operation.rank,
                             .step = 0,
                             .stream = static_cast<int>(operation.stream),
                             .start_s = timeline.start_s[id],
                             .duration_s = duration_s});
  }
  std::ranges::stable_sort(trace.kernels, {}, [](const trace::Kernel& one) {
    return std::tuple(one.gpu, one.start_s, one.stream);
  });
  return trace;
}

}  // namespace sim
