// SPDX-License-Identifier: Apache-2.0
#include "sim/workload/stages.hpp"

#include <algorithm>

#include "sim/workload/parameters.hpp"

namespace sim {
namespace {

bool counts_embedding(const Parallelism& p) {
  return p.counted_ends == CountedEnds::embedding || p.counted_ends == CountedEnds::both;
}

bool counts_head(const Parallelism& p) {
  return p.counted_ends == CountedEnds::head || p.counted_ends == CountedEnds::both;
}

using Firsts = std::vector<int>;

Firsts by_number(const Model& model, const Parallelism& p) {
  const int embedding = counts_embedding(p) ? 1 : 0;
  const int counted = counted_layers(model, p);
  const int stages = p.pipeline * p.virtual_stages;
  Firsts firsts{0};
  for (int v = 1; v < stages; ++v) {
    firsts.push_back(counted / stages * v + std::min(v, counted % stages) - embedding);
  }
  firsts.push_back(all_layers(model));
  return firsts;
}

Firsts as_said(const std::vector<int>& layers) {
  Firsts firsts{0};
  for (const int one : layers) firsts.push_back(firsts.back() + one);
  return firsts;
}

// Work of runs of layers, the logits with the last.
class LayerWork {
 public:
  explicit LayerWork(const Model& model) : upto_{0} {
    LayerKind last;
    double flop = 0;
    for (int layer = 0; layer < all_layers(model); ++layer) {
      const LayerKind kind = kind_of(model, layer);
      if (layer == 0 || kind != last) flop = layer_flop(model, kind);
      last = kind;
      upto_.push_back(upto_.back() + flop);
    }
    upto_.back() += 2.0 * model.hidden * model.vocabulary;
  }
  [[nodiscard]] int layers() const { return static_cast<int>(upto_.size()) - 1; }
  [[nodiscard]] double between(int first, int end) const { return at(end) - at(first); }
  [[nodiscard]] double most() const {
    double most = 0;
    for (int layer = 0; layer < layers(); ++layer) most = std::max(most, between(layer, layer + 1));
    return most;
  }
  // Whether the layers from the first on fit into so many parts, none of them empty.
  [[nodiscard]] bool fits(int first, int parts, double limit) const {
    if (layers() - first < parts) return false;
    for (; parts > 0 && first < layers(); --parts) first = end_of(first, limit);
    return first >= layers();
  }

 private:
  [[nodiscard]] double at(int layer) const { return upto_[static_cast<std::size_t>(layer)]; }
  [[nodiscard]] int end_of(int first, double limit) const {
    const auto past = std::ranges::upper_bound(upto_, at(first) + limit);
    return std::max(first + 1, static_cast<int>(past - upto_.begin()) - 1);
  }

  std::vector<double> upto_;
};

// The least that the busiest of so many parts has, a little above.
double least_limit(const LayerWork& work, int parts) {
  double low = work.between(0, work.layers()) / parts, high = work.between(0, work.layers());
  low = std::max(low, work.most());
  constexpr double kExact = 1e-9;
  if (work.fits(0, parts, low * (1 + kExact))) return low * (1 + kExact);
  while (high - low > kExact * high) {
    const double middle = (low + high) / 2;
    (work.fits(0, parts, middle) ? high : low) = middle;
  }
  return high;
}

// Within that limit each part as near as possible to its share of what is left.
Firsts by_work(const Model& model, int parts) {
  const LayerWork work(model);
  if (work.layers() < parts) return {};
  const double limit = least_limit(work, parts);
  Firsts firsts{0};
  for (int left = parts - 1; left > 0; --left) {
    const int first = firsts.back();
    const double share = work.between(first, work.layers()) / (left + 1);
    int end = first + 1;
    const auto nearer = [&] {
      return work.between(first, end) + work.between(end, end + 1) / 2 <= share;
    };
    const auto may_take = [&] {
      return work.layers() - end > left && work.between(first, end + 1) <= limit;
    };
    while (may_take() && (nearer() || !work.fits(end, left, limit))) ++end;
    firsts.push_back(end);
  }
  firsts.push_back(work.layers());
  return firsts;
}

Firsts firsts_of(const Model& model, const Parallelism& p) {
  if (!p.stage_layers.empty()) return as_said(p.stage_layers);
  if (is_uniform_and_dense(model) || p.counted_ends != CountedEnds::none || p.pipeline == 1)
    return by_number(model, p);
  Firsts firsts = by_work(model, p.pipeline * p.virtual_stages);
  return firsts.empty() ? by_number(model, p) : firsts;
}

}  // namespace

int counted_layers(const Model& model, const Parallelism& p) {
  return all_layers(model) + (counts_embedding(p) ? 1 : 0) + (counts_head(p) ? 1 : 0);
}

Stages::Stages(const Model& model, const Parallelism& p)
    : pipeline_(p.pipeline), chunks_(p.virtual_stages), firsts_(firsts_of(model, p)) {}

int Stages::layers_of_stage(int stage) const {
  int layers = 0;
  for (int chunk = 0; chunk < chunks_; ++chunk) layers += layers_of(chunk * pipeline_ + stage);
  return layers;
}

std::vector<int> Stages::chunk_starts(int stage) const {
  std::vector<int> starts{0};
  for (int chunk = 0; chunk < chunks_; ++chunk) {
    starts.push_back(starts.back() + std::max(1, layers_of(chunk * pipeline_ + stage)));
  }
  return starts;
}

int Stages::most_layers_of_a_chunk() const {
  int most = 0;
  for (int v = 0; v < pipeline_ * chunks_; ++v) most = std::max(most, layers_of(v));
  return most;
}

KindCounts kinds_of_stage(const Model& model, const Stages& stages, const Parallelism& p,
                          int stage) {
  KindCounts counts;
  for (int chunk = 0; chunk < p.virtual_stages; ++chunk) {
    const int v = chunk * p.pipeline + stage;
    add(kinds_between(model, stages.first_layer(v), stages.first_layer(v + 1)), counts);
  }
  return counts;
}

}  // namespace sim
