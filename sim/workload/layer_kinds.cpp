// SPDX-License-Identifier: Apache-2.0
#include "sim/workload/layer_kinds.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <utility>

#include "sim/workload/model.hpp"
#include "sim/workload/model_ranges.hpp"

namespace sim {
namespace {

struct MixerWord {
  std::string_view word;
  Mixer mixer;
};
struct BlockWord {
  std::string_view word;
  Block block;
};
constexpr std::array kMixerWords{MixerWord{"full", Mixer::full},
                                 MixerWord{"unplaced", Mixer::unplaced},
                                 MixerWord{"window", Mixer::window},
                                 MixerWord{"mamba", Mixer::mamba}, MixerWord{"none", Mixer::none}};
constexpr std::array kBlockWords{BlockWord{"dense", Block::dense},
                                 BlockWord{"experts", Block::experts},
                                 BlockWord{"none", Block::none}};

const MixerWord* mixer_named(std::string_view word) {
  const auto found = std::ranges::find(kMixerWords, word, &MixerWord::word);
  return found == kMixerWords.end() ? nullptr : &*found;
}
const BlockWord* block_named(std::string_view word) {
  const auto found = std::ranges::find(kBlockWords, word, &BlockWord::word);
  return found == kBlockWords.end() ? nullptr : &*found;
}

// Of "window+dense", "window" or "dense".
std::optional<LayerKind> kind_named(std::string_view word, Block usual) {
  const auto plus = word.find('+');
  LayerKind kind{.block = usual};
  if (plus == std::string_view::npos) {
    const MixerWord* mixer = mixer_named(word);
    const BlockWord* block = block_named(word);
    if (word == "none" || (mixer == nullptr && block == nullptr)) return std::nullopt;
    if (mixer != nullptr) kind.mixer = mixer->mixer;
    if (block != nullptr) kind.block = block->block;
    return kind;
  }
  const MixerWord* mixer = mixer_named(word.substr(0, plus));
  const BlockWord* block = block_named(word.substr(plus + 1));
  if (mixer == nullptr || block == nullptr) return std::nullopt;
  kind.mixer = mixer->mixer;
  kind.block = block->block;
  if (kind.mixer == Mixer::none && kind.block == Block::none) return std::nullopt;
  return kind;
}

std::string name_of(LayerKind kind) {
  const auto mixer = std::ranges::find(kMixerWords, kind.mixer, &MixerWord::mixer);
  const auto block = std::ranges::find(kBlockWords, kind.block, &BlockWord::block);
  return std::string(mixer->word) + "+" + std::string(block->word);
}

// Of "*3": 3; of nothing: 1.
std::optional<int> times_of(std::string_view text) {
  if (text.empty()) return 1;
  int times = 0;
  const auto [end, error] = std::from_chars(text.data() + 1, text.data() + text.size(), times);
  const bool whole = error == std::errc() && end == text.data() + text.size();
  if (!whole || times < 1 || times > kLayers.highest) return std::nullopt;
  return times;
}

bool repeats(const std::vector<LayerKind>& layers, std::size_t period) {
  for (std::size_t i = period; i < layers.size(); ++i) {
    if (layers[i] != layers[i - period]) return false;
  }
  return true;
}

// Of a layer before those that predict.
LayerKind usual_kind(const Model& model) { return {.block = usual_block(model)}; }

bool has_layers_with(const Model& model, auto LayerKind::*part, auto wanted) {
  const std::vector<LayerKind>& kinds = model.order.kinds;
  if (model.prediction && *model.prediction.*part == wanted) return true;
  if (kinds.empty()) return usual_kind(model).*part == wanted;
  return std::ranges::find(kinds, wanted, part) != kinds.end();
}

}  // namespace

std::optional<LayerOrder> parse_order(std::string_view text, Block usual) {
  LayerOrder order;
  while (!text.empty()) {
    const auto space = std::min(text.find(' '), text.size());
    const std::string_view word = text.substr(0, space);
    text.remove_prefix(std::min(space + 1, text.size()));
    if (word.empty()) continue;
    const auto star = std::min(word.find('*'), word.size());
    const auto kind = kind_named(word.substr(0, star), usual);
    order.fills = word.substr(star) == "*";
    const auto times = order.fills ? 1 : times_of(word.substr(star));
    const bool more = text.find_first_not_of(' ') != std::string_view::npos;
    if (!kind || !times || (order.fills && more)) return std::nullopt;
    order.kinds.insert(order.kinds.end(), static_cast<std::size_t>(*times), *kind);
    if (static_cast<std::int64_t>(order.kinds.size()) > kLayers.highest) return std::nullopt;
  }
  if (order.empty()) return std::nullopt;
  return order;
}

std::string order_text(const LayerOrder& order) {
  std::string text;
  for (std::size_t i = 0; i < order.kinds.size();) {
    const bool is_last = order.fills && i + 1 == order.kinds.size();
    std::size_t end = i + 1;
    const std::size_t limit = order.kinds.size() - (order.fills ? 1 : 0);
    while (end < limit && order.kinds[end] == order.kinds[i]) ++end;
    text += (text.empty() ? "" : " ") + name_of(order.kinds[i]);
    if (is_last) text += "*";
    if (end - i > 1) text += "*" + std::to_string(end - i);
    i = end;
  }
  return text;
}

LayerOrder order_of(std::vector<LayerKind> layers) {
  if (layers.empty()) return {};
  std::size_t period = 1;
  while (!repeats(layers, period)) ++period;
  // What ends with the same kind again and again is shorter said so.
  std::size_t tail = layers.size() - 1;
  while (tail > 0 && layers[tail - 1] == layers.back()) --tail;
  const bool fills = period > tail + 1;
  layers.resize(std::min(period, tail + 1));
  return {std::move(layers), fills};
}

int all_layers(const Model& model) { return model.layers + model.predictions; }

LayerKind kind_of(const Model& model, int layer) {
  if (layer >= model.layers) {
    LayerKind kind = model.layers > 0 ? kind_of(model, model.layers - 1) : usual_kind(model);
    if (model.prediction) kind = *model.prediction;
    kind.predicts = true;
    return kind;
  }
  const std::vector<LayerKind>& kinds = model.order.kinds;
  if (kinds.empty()) return usual_kind(model);
  const auto place = static_cast<std::size_t>(layer);
  return kinds[model.order.fills ? std::min(place, kinds.size() - 1) : place % kinds.size()];
}

bool has_layers_with(const Model& model, Block block) {
  return has_layers_with(model, &LayerKind::block, block);
}

bool has_layers_with(const Model& model, Mixer mixer) {
  return has_layers_with(model, &LayerKind::mixer, mixer);
}

bool has_experts_to_choose(const Model& model) {
  return model.experts.count > 1 && has_layers_with(model, Block::experts);
}

Block usual_block(const Model& model) {
  return model.experts.count > 0 ? Block::experts : Block::dense;
}

bool is_uniform(const Model& model) {
  const auto& kinds = model.order.kinds;
  return model.predictions == 0 &&
         std::ranges::all_of(kinds, [&](LayerKind one) { return one == kinds.front(); });
}

bool is_uniform_and_dense(const Model& model) {
  return is_uniform(model) && model.experts.count == 0;
}

KindCounts kinds_between(const Model& model, int first, int end) {
  if (is_uniform(model)) {
    return end > first ? KindCounts{{kind_of(model, first), end - first}} : KindCounts{};
  }
  KindCounts counts;
  for (int layer = first; layer < end; ++layer) add(KindCount{kind_of(model, layer), 1}, counts);
  return counts;
}

void add(const KindCount& more, KindCounts& to) {
  const auto found = std::ranges::find(to, more.kind, &KindCount::kind);
  if (found == to.end()) {
    to.push_back(more);
  } else {
    found->layers += more.layers;
  }
}

void add(const KindCounts& more, KindCounts& to) {
  for (const KindCount& one : more) add(one, to);
}

int layers_in(const KindCounts& counts) {
  int sum = 0;
  for (const KindCount& one : counts) sum += one.layers;
  return sum;
}

}  // namespace sim
