// SPDX-License-Identifier: Apache-2.0
#include "sim/workload/sizes.hpp"

#include <algorithm>

#include "sim/workload/parameters.hpp"

namespace sim {
namespace {

double weight_gradient_bytes(const Parallelism& p) {
  if (p.sharding.stage == 3) return 2;
  const double buffer = 2 * bytes_of(p.gradients);  // read and written
  // Megatron's product adds to the buffer; PyTorch's gradient is written, read and added.
  return p.kernels == Kernels::megatron ? buffer : 2 + 2 + buffer;
}

// Rows and columns of the scores that a fused kernel works on at a time: what is masked whole is
// skipped (Dao 2307.08691, section 3.1.1; its blocks are of 64 or 128).
constexpr double kBlockOfScores = 128;

double causal_share(double sequence) {
  return std::min(1.0, 0.5 + 0.5 * kBlockOfScores / sequence);
}

AttendedShares attended_shares(const Model& model, LayerKind kind) {
  const double sequence = model.sequence;
  if (!model.causal) return {1, 1};
  const double whole = causal_share(sequence);
  const double useful = 0.5 * attended(model, kind) / sequence;
  if (useful >= 0.5) return {whole, 0.5};
  const double window = model.window;
  const double computed = model.window_kind == Model::WindowKind::chunked
                              ? causal_share(window) * window / sequence
                              : useful + kBlockOfScores / sequence;
  return {std::min(whole, computed), useful};
}

// With one expert there is nothing to choose: a layer is a dense one of its width.
bool chooses(const Model& model, LayerKind kind) {
  return kind.block == Block::experts && model.experts.count > 1;
}

double width_for_all(const Model& model, LayerKind kind) {
  if (kind.block == Block::dense) return model.feed_forward;
  if (kind.block == Block::none) return 0;
  return (chooses(model, kind) ? 0 : model.experts.width) + model.experts.shared_width;
}

// Of a rank's tokens. Where rows are dispatched each rank sends those of its own tokens, and the ranks
// that split an expert gather each other's; else all have the same tokens, or gathered them.
ExpertSizes expert_sizes(const Model& model, const Parallelism& p, LayerKind kind, double tokens,
                         double local_tokens) {
  const Model::Experts& experts = model.experts;
  if (!chooses(model, kind)) return {};
  const bool dispatched = dispatches(p);
  const double parts = expert_tensor(p), all = experts.count, top_k = experts.top_k;
  const Routed routed = routed_to(model, p);
  const double kept = routed.busiest * (1 - routed.dropped);
  const double got = (dispatched ? local_tokens * parts : tokens) * kept;
  const bool once = p.dispatcher == Dispatcher::deepep || p.dispatcher == Dispatcher::hybridep;
  return {.all = all,
          .count = all / p.expert,
          .top_k = top_k,
          .width = experts.width / parts,
          .latent_width = static_cast<double>(experts.latent_width),
          .shared = experts.shared_width > 0,
          .shared_gate = experts.shared_gate,
          .dispatched = dispatched,
          .by = p.dispatcher,
          .tokens = got,
          // No rank gets a token twice.
          .arriving =
              once ? std::min(got * routed.to_ranks, local_tokens * parts * p.expert) : got * top_k,
          .row_width =
              static_cast<double>(experts.latent_width > 0 ? experts.latent_width : model.hidden),
          .routed = routed};
}

CoreSizes core_sizes(const Parallelism& p, double heads, double sequence) {
  const double exchanged = head_ranks(p), parts = ring_ranks(p);
  const bool in_rounds = p.context_exchange == ContextExchange::ring;
  return {.heads = heads / exchanged,
          .queries = sequence / parts,
          .keys = in_rounds ? sequence / parts : sequence,
          .rounds = in_rounds ? parts : 1};
}

MambaSizes mamba_sizes(const Model::Mamba& mamba, double tensor) {
  return {.heads = mamba.heads / tensor,
          .width = static_cast<double>(mamba_width(mamba)) / tensor,
          .state = static_cast<double>(mamba.state),
          .groups = std::max(1.0, mamba.groups / tensor),
          .kernel = static_cast<double>(mamba.kernel),
          .chunk = static_cast<double>(mamba.chunk)};
}

}  // namespace

Routed routed_to(const Model& model, const Parallelism& p, int nodes) {
  const double tokens = static_cast<double>(p.micro_batch) * model.sequence / p.context;
  const double own = p.sequence_parallel ? tokens / p.tensor : tokens;
  const bool even = p.expert % nodes == 0;
  return route(p.routing, model.experts.count, model.experts.top_k, p.expert,
               even ? nodes : p.expert, own * p.expert,
               {model.experts.groups, model.experts.top_groups});
}

Sizes sizes_of(const Model& model, const Parallelism& p, LayerKind kind) {
  const double t = p.tensor;
  const double tokens = static_cast<double>(p.micro_batch) * model.sequence / p.context;
  const double local_tokens = p.sequence_parallel ? tokens / t : tokens;
  return {.tokens = tokens,
          .local_tokens = local_tokens,
          .hidden = static_cast<double>(model.hidden),
          .heads = model.heads / t,
          .head_width = static_cast<double>(model.head_width),
          .sequence = static_cast<double>(model.sequence),
          .samples = static_cast<double>(p.micro_batch),
          .own_sequence = static_cast<double>(model.sequence) / p.context,
          .core = core_sizes(p, model.heads / t, model.sequence),
          .keys = static_cast<double>(key_width(model)) / t,
          .values = static_cast<double>(value_width(model)) / t,
          .outputs = static_cast<double>(output_width(model)) / t,
          .feed_forward = width_for_all(model, kind) / t,
          .rising = static_cast<double>(rising_widths(model)),
          .kind = kind,
          .blocks = model.blocks,
          .norm_place = model.norm_place,
          .latent = {.rank = static_cast<double>(model.latent.rank),
                     .query_rank = static_cast<double>(model.latent.query_rank),
                     .rope_width = static_cast<double>(model.latent.rope_width)},
          .experts = expert_sizes(model, p, kind, tokens, local_tokens),
          .mamba = mamba_sizes(model.mamba, t),
          .attends = attended_shares(model, kind),
          .weight_gradient_bytes = weight_gradient_bytes(p),
          .embedding_gradient_bytes =
              p.sharding.stage == 3 ? 2.0 : static_cast<double>(bytes_of(p.gradients)),
          .positions = model.positions,
          .query_biases = has_query_biases(model),
          .output_bias = has_output_bias(model),
          .feed_forward_biases = has_feed_forward_biases(model),
          .norm = model.norm,
          .rotary_share = model.rotary_share,
          .query_key_norm = model.query_key_norm,
          .grouped = model.kv_heads < model.heads,
          .dropout = model.dropout,
          .attention_dropout = model.attention_dropout.value_or(model.dropout),
          .causal = model.causal,
          .sinks = model.sinks,
          .attention_cap = model.attention_cap,
          .modulated = is_modulated(model),
          .copies_sequences = splits_by_dtensor(p) && !p.overlap.tensor,
          .parts_in_turn = splits_by_dtensor(p) && p.overlap.tensor ? 1.0 * p.tensor : 1.0,
          .attention = p.attention,
          .kernels = p.kernels,
          .casts = p.casts,
          .matrices = p.matrices,
          .gathers_matrices = p.gathers_matrices};
}

}  // namespace sim
