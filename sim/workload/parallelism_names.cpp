// SPDX-License-Identifier: Apache-2.0
#include "sim/workload/parallelism_names.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "sim/base/number_text.hpp"

namespace sim {

std::string to_text(const Overlap& overlap) {
  std::string text;
  Overlap rest = overlap;
  const auto add = [&](std::string_view name) {
    text += (text.empty() ? "" : ",") + std::string(name);
  };
  Overlap but_batches = overlap;
  but_batches.batches = false;
  if (but_batches == kAllOverlaps) {
    add("all");
    rest = {.batches = overlap.batches};
  }
  for (const auto& [name, what] : kOverlaps) {
    if (rest.*what) add(name);
  }
  return text.empty() ? "none" : text;
}

std::string to_text(const Placement& placement) {
  std::string text;
  for (const Axis* axis : placement) {
    if (axis != nullptr) text += (text.empty() ? "" : "-") + std::string(axis->name);
  }
  return text;
}

std::vector<Placement> all_placements(std::span<const Axis* const> axes) {
  std::vector<std::size_t> order(axes.size());
  std::iota(order.begin(), order.end(), 0);
  std::vector<Placement> all;
  do {
    Placement& one = all.emplace_back();
    std::ranges::transform(order, one.begin(), [&](std::size_t place) { return axes[place]; });
  } while (std::ranges::next_permutation(order).found);
  return all;
}

std::optional<Placement> placement_of(std::string_view text, std::span<const Axis* const> axes) {
  for (const Placement& one : all_placements(axes)) {
    if (to_text(one) == text) return one;
  }
  return std::nullopt;
}

namespace {

std::string bucket_text(Bytes bytes) {
  constexpr std::int64_t kMebi = 1 << 20;
  return bytes.count % kMebi == 0 ? fmt::format("{}MiB", bytes.count / kMebi)
                                  : fmt::format("{}B", bytes.count);
}

}  // namespace

std::string stage_layers_text(const std::vector<int>& layers) {
  std::string text;
  for (auto first = layers.begin(); first != layers.end();) {
    const auto next = std::find_if(first, layers.end(), [&](int one) { return one != *first; });
    const auto times = next - first;
    text += text.empty() ? "" : ",";
    text += times > 1 ? fmt::format("{}*{}", times, *first) : fmt::format("{}", *first);
    first = next;
  }
  return text;
}

std::optional<std::vector<int>> parse_stage_layers(std::string_view text) {
  constexpr std::size_t kMost = 100'000;
  std::vector<int> layers;
  while (true) {
    const auto comma = std::min(text.find(','), text.size());
    const std::string_view word = text.substr(0, comma);
    const auto star = word.find('*');
    const auto times =
        star == std::string_view::npos ? std::optional(1) : number_in<int>(word.substr(0, star));
    const auto held = number_in<int>(star == std::string_view::npos ? word : word.substr(star + 1));
    if (!times || !held || *times < 1 || *held < 0) return std::nullopt;
    if (layers.size() + static_cast<std::size_t>(*times) > kMost) return std::nullopt;
    layers.insert(layers.end(), static_cast<std::size_t>(*times), *held);
    if (comma == text.size()) return layers;
    text.remove_prefix(comma + 1);
  }
}

std::string offloaded_text(int layers) {
  if (layers == kAllLayers) return "all";
  return layers == 0 ? "none" : std::to_string(layers);
}

std::optional<int> parse_offloaded(std::string_view text) {
  if (text == "none") return 0;
  if (text == "all") return kAllLayers;
  const auto layers = number_in<int>(text);
  return layers && *layers >= 0 ? layers : std::nullopt;
}

std::string changed_fields(const Parallelism& a, const Parallelism& b) {
  std::string text;
  const auto add = [&](const char* field, const auto& before, const auto& after) {
    if (before == after) return;
    text += fmt::format("{}{} {}", text.empty() ? "" : " ", field, after);
  };
  const auto on_off = [](bool on) { return std::string_view(on ? "on" : "off"); };
  add("`tp`", a.tensor, b.tensor);
  add("`cp`", a.context, b.context);
  add("`cp-exchange`", name_of(a.context_exchange, kContextExchanges),
      name_of(b.context_exchange, kContextExchanges));
  add("`cp-heads`", a.context_heads, b.context_heads);
  add("`ep`", a.expert, b.expert);
  add("`etp`", a.expert_tensor, b.expert_tensor);
  add("`dispatcher`", name_of(a.dispatcher, kDispatchers), name_of(b.dispatcher, kDispatchers));
  add("`dispatch-sms`", a.dispatch_multiprocessors, b.dispatch_multiprocessors);
  add("`pp`", a.pipeline, b.pipeline);
  add("`virtual-stages`", a.virtual_stages, b.virtual_stages);
  add("`count-ends`", name_of(a.counted_ends, kCountedEnds), name_of(b.counted_ends, kCountedEnds));
  add("`stage-layers`", stage_layers_text(a.stage_layers), stage_layers_text(b.stage_layers));
  add("`placement`", to_text(a.placement), to_text(b.placement));
  add("`routing`", to_text(a.routing), to_text(b.routing));
  add("`capacity-factor`", a.routing.capacity, b.routing.capacity);
  add("`zero`", a.sharding.stage, b.sharding.stage);
  if (b.sharding.ranks > 0) add("`hybrid-shard`", a.sharding.ranks, b.sharding.ranks);
  if (b.sharding.stage == 3) {
    add("`reshard`", on_off(a.sharding.reshard_after_forward),
        on_off(b.sharding.reshard_after_forward));
  }
  add("`micro-batch`", a.micro_batch, b.micro_batch);
  add("`accumulation`", a.accumulation, b.accumulation);
  add("`sequence-parallel`", on_off(a.sequence_parallel), on_off(b.sequence_parallel));
  add("`recompute`", name_of(a.recompute, kRecomputes), name_of(b.recompute, kRecomputes));
  add("`offload-activations`", offloaded_text(a.offloaded_layers),
      offloaded_text(b.offloaded_layers));
  add("`attention`", name_of(a.attention, kAttentions), name_of(b.attention, kAttentions));
  add("`kernels`", name_of(a.kernels, kKernels), name_of(b.kernels, kKernels));
  add("`cuda-graphs`", on_off(a.cuda_graphs), on_off(b.cuda_graphs));
  add("`optimizer-state`", name_of(a.optimizer_state, kOptimizerStates),
      name_of(b.optimizer_state, kOptimizerStates));
  add("`gradient-precision`", name_of(a.gradients, kPrecisions), name_of(b.gradients, kPrecisions));
  add("`weight-precision`", a.gathers_matrices ? "fp8" : "bf16",
      b.gathers_matrices ? "fp8" : "bf16");
  add("`overlap`", to_text(a.overlap), to_text(b.overlap));
  add("`bucket-size`", bucket_text(a.bucket), bucket_text(b.bucket));
  if (a.sharding.ranks > 0 && b.sharding.ranks == 0) text += " (no `hybrid-shard`)";
  return text;
}

}  // namespace sim
