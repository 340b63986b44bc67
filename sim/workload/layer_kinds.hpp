// SPDX-License-Identifier: Apache-2.0
// Kinds of layers, and the order in which a model has them.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace sim {

struct Model;

// What mixes tokens in a layer: attention to all tokens before, the same without positions (where the
// model's others have them), attention to a window, or a state-space layer.
enum class Mixer : std::uint8_t { full, unplaced, window, mamba, none };
// What follows it.
enum class Block : std::uint8_t { dense, experts, none };

struct LayerKind {
  Mixer mixer = Mixer::full;
  Block block = Block::dense;
  bool predicts = false;  // Model::predictions: with its own projection before and loss behind
  [[nodiscard]] bool has_attention() const {
    return mixer == Mixer::full || mixer == Mixer::unplaced || mixer == Mixer::window;
  }
  bool operator==(const LayerKind&) const = default;
};

// The order of layers as words, the first layers first. It repeats until all layers have a kind, or
// where `fills` its last word alone does.
struct LayerOrder {
  std::vector<LayerKind> kinds;
  bool fills = false;
  [[nodiscard]] bool empty() const { return kinds.empty(); }
  bool operator==(const LayerOrder&) const = default;
};

// "dense*3 experts*": three dense layers, and experts in all others. "window*5 full": each sixth layer
// attends to all tokens. A word is a mixer, a block, or both, as in "mamba+none"; where a word leaves
// one out, it is full attention, or `usual`. Nothing if the text is not of that form.
[[nodiscard]] std::optional<LayerOrder> parse_order(std::string_view text, Block usual);
// The shortest text that reads as this order: repeats are joined, and nothing is left out.
[[nodiscard]] std::string order_text(const LayerOrder& order);
// The order of so many kinds, as words that repeat are shorter.
[[nodiscard]] LayerOrder order_of(std::vector<LayerKind> layers);

// Layers in the order of the forward pass, those that predict further tokens the last.
[[nodiscard]] int all_layers(const Model& model);
[[nodiscard]] LayerKind kind_of(const Model& model, int layer);
[[nodiscard]] bool has_layers_with(const Model& model, Block block);
[[nodiscard]] bool has_layers_with(const Model& model, Mixer mixer);
// Whether a router chooses: with one expert there is nothing to choose.
[[nodiscard]] bool has_experts_to_choose(const Model& model);
// What follows attention where an order does not say it.
[[nodiscard]] Block usual_block(const Model& model);
// Whether no layer differs from the first, and whether that is one without experts.
[[nodiscard]] bool is_uniform(const Model& model);
[[nodiscard]] bool is_uniform_and_dense(const Model& model);

// How many of a run of layers are of each kind, each kind once, in the order of their first layers.
struct KindCount {
  LayerKind kind;
  int layers = 0;
  bool operator==(const KindCount&) const = default;
};
using KindCounts = std::vector<KindCount>;
[[nodiscard]] KindCounts kinds_between(const Model& model, int first, int end);
void add(const KindCount& more, KindCounts& to);
void add(const KindCounts& more, KindCounts& to);
[[nodiscard]] int layers_in(const KindCounts& counts);

}  // namespace sim
