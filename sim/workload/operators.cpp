// SPDX-License-Identifier: Apache-2.0
#include "sim/workload/operators.hpp"

#include <algorithm>

#include "sim/workload/operator_parts.hpp"

namespace sim {
namespace {

void append(const Operators& more, Operators& into) {
  into.insert(into.end(), more.begin(), more.end());
}

void add_linears(const Sizes& z, const Linears& linears, Operators& into) {
  for (const Linear& one : linears) add_linear(z, one, into);
}

// The last one's gradients first.
void add_linears_inputs(const Sizes& z, const Linears& linears, Operators& into) {
  for (auto one = linears.rbegin(); one != linears.rend(); ++one) add_linear_inputs(z, *one, into);
}

Operators gradients_of_weights(const Sizes& z, const Linears& linears) {
  Operators all;
  for (const Linear& one : linears) all.push_back(linear_weights(z, one));
  return all;
}

// The blocks of a layer: what mixes tokens, then what follows it.
std::vector<BlockParts> blocks_of(const Sizes& z) {
  std::vector<BlockParts> all;
  if (z.kind.has_attention()) all.push_back(attention_parts(z));
  if (z.kind.mixer == Mixer::mamba) all.push_back(mamba_parts(z));
  if (z.kind.block != Block::none) all.push_back(feed_forward_parts(z));
  return all;
}

// Where a block is among those of its layer. Blocks side by side share the residual, and the norm unless
// each has its own.
struct Place {
  bool first = true, last = true, side_by_side = false;
  bool next_gathers = true;  // the block that follows in the layer: BlockParts::gathers
};
Place place_of(const Sizes& z, const std::vector<BlockParts>& blocks, std::size_t index) {
  const bool last = index + 1 == blocks.size();
  return {.first = index == 0,
          .last = last,
          .side_by_side = z.is_parallel() && blocks.size() > 1,
          .next_gathers = last || blocks[index + 1].gathers};
}

bool has_norm(const Sizes& z, Place place) {
  return place.first || z.blocks != Model::Blocks::parallel;
}

// What a diffusion transformer does around each block: scale, shift and, at its end, a gate, all from six
// vectors of each sample that a product of the layer makes. Backward everything twice.
void add_modulation(const Sizes& z, Place place, double times, Operators& into) {
  if (!z.modulated) return;
  if (place.first) {
    Operator vectors = gemm("modulation", z.samples, 6 * z.hidden, z.hidden);
    vectors.count = times;
    vectors.bytes *= times;
    into.push_back(vectors);
  }
  into.push_back(memory_pass("scale, shift, gate", times * 4 * z.activations(), 2 * times));
}

// A residual's gradient goes through unchanged.
void add_end(const Sizes& z, Place place, Operators& into) {
  add_scattered_copy(z, into);
  if (z.norm_place == Model::NormPlace::both) add_norm(z, into);
  if (place.side_by_side && !place.last) return;
  add_residual(z, into);
  // Three are added.
  if (place.side_by_side) into.back().bytes += z.activations();
}

void add_to_core(const Sizes& z, const BlockParts& block, Place place, Operators& into) {
  if (has_norm(z, place)) add_norm(z, into);
  add_modulation(z, place, 1, into);
  add_gathered_copy(z, into);
  append(block.enter, into);
  add_linears(z, in_parts(z, block.in), into);
  append(block.prepare, into);
}

void add_behind_core(const Sizes& z, const BlockParts& block, Place place, Operators& into) {
  add_linears(z, in_parts(z, block.out), into);
  append(block.leave, into);
  add_end(z, place, into);
}

// All rounds of a ring.
void append_core(const BlockParts& block, Operators& into) {
  append(block.beside_core, into);
  append(block.core, into);
}

void add_from_core(const Sizes& z, const BlockParts& block, Place place, Operators& into) {
  append_core(block, into);
  add_behind_core(z, block, place, into);
}

// What a layer's last product reads.
void add_to_last(const Sizes& z, const BlockParts& block, Place place, Operators& into) {
  add_to_core(z, block, place, into);
  append_core(block, into);
}

// Between a block and the next: nothing where both read the same, and `ends` says that neither waits.
Point between_blocks(const BlockParts& block, Place place, bool ends) {
  if (place.side_by_side) return ends ? Point::after_block : Point::inside_layer;
  if (!block.gathers) return Point::before_block_parts;
  return place.next_gathers ? Point::after_block : Point::after_block_parts;
}
// What is exchanged behind a block, and backward in front of it: side by side, what the first one read
// has its gradient once both are through.
Point behind(const BlockParts& block, Place place) {
  return between_blocks(block, place, place.last);
}
Point in_front(const BlockParts& block, Place place) {
  return between_blocks(block, place, place.first);
}

// What each rank does with its own tokens before their rows go out, and once they are back.
void add_to_dispatch(const Sizes& z, const BlockParts& block, Place place, Operators& into) {
  if (has_norm(z, place)) add_norm(z, into);
  add_modulation(z, place, 1, into);
  append(block.enter, into);
  add_linears(z, block.first, into);
}

void add_from_combine(const Sizes& z, const BlockParts& block, Place place, Operators& into) {
  add_linears(z, block.last, into);
  append(block.leave, into);
  add_end(z, place, into);
}

// What it does with the rows that came.
void add_rows(const Sizes& z, const BlockParts& block, bool last_product, Operators& into) {
  append(block.arrange, into);
  add_linears(z, block.in, into);
  append(block.prepare, into);
  append(block.core, into);
  if (!last_product) return;
  add_linears(z, block.out, into);
  append(block.rearrange, into);
}

void add_dispatched_forward(const Sizes& z, const BlockParts& block, Place place, Segments& into) {
  Operators to_dispatch, rows, from_combine, beside_out, beside_back;
  add_to_dispatch(z, block, place, to_dispatch);
  add_rows(z, block, true, rows);
  add_from_combine(z, block, place, from_combine);
  add_linears(z, block.beside_in, beside_out);
  append(block.beside_activation, beside_out);
  add_linears(z, block.beside_out, beside_back);
  into.push_back(
      {block.block, "router", std::move(to_dispatch), Point::dispatch, std::move(beside_out)});
  into.push_back({block.block, "experts", std::move(rows), Point::combine, std::move(beside_back)});
  into.push_back({block.block, "sum", std::move(from_combine), behind(block, place)});
}

void add_forward(const Sizes& z, const BlockParts& block, Place place, Segments& into) {
  if (block.dispatched) return add_dispatched_forward(z, block, place, into);
  Operators to_core, behind_core;
  add_to_core(z, block, place, to_core);
  add_behind_core(z, block, place, behind_core);
  into.push_back({block.block, block.before, std::move(to_core), block.at_core, block.beside_core});
  into.push_back({block.block, block.after, block.core, block.behind_core});
  into.push_back({block.block, "output", std::move(behind_core), behind(block, place)});
}

// The norm is that of what comes after the block.
void add_end_backward(const Sizes& z, const BlockParts& block, Place place, Operators& into) {
  if (has_norm(z, place)) add_norm_backward(z, into);
  if (z.norm_place == Model::NormPlace::both) add_norm_backward(z, into);
  add_modulation(z, place, 2, into);
  if (!place.side_by_side || place.last) add_residual_backward(z, block.adds_bias, into);
  if (!block.dispatched) add_gathered_copy(z, into);
  append(block.leave_backward, into);
}

// The last one's first, each with the gradients of its weights behind.
void add_linears_backward(const Sizes& z, const Linears& linears, Operators& into) {
  for (auto one = linears.rbegin(); one != linears.rend(); ++one) {
    add_linear_inputs(z, *one, into);
    into.push_back(linear_weights(z, *one));
  }
}

void add_dispatched_backward(const Sizes& z, const BlockParts& block, Place place, Segments& into) {
  Operators to_dispatch, rows, from_combine, beside_out, beside_back;
  add_end_backward(z, block, place, to_dispatch);
  add_linears_backward(z, block.last, to_dispatch);
  append(block.rearrange, rows);
  add_linears_backward(z, block.out, rows);
  append(block.core_backward, rows);
  append(block.prepare_backward, rows);
  add_linears_backward(z, block.in, rows);
  append(block.arrange, rows);
  add_linears_backward(z, block.first, from_combine);
  append(block.enter_backward, from_combine);
  add_linears_backward(z, block.beside_out, beside_out);
  append(block.beside_activation_backward, beside_back);
  add_linears_backward(z, block.beside_in, beside_back);
  into.push_back({block.block, "sum", std::move(to_dispatch), Point::dispatch_gradients,
                  std::move(beside_out), block.gathers});
  into.push_back(
      {block.block, "experts", std::move(rows), Point::combine_gradients, std::move(beside_back)});
  into.push_back({block.block, "router", std::move(from_combine), in_front(block, place)});
}

void add_backward(const Sizes& z, const BlockParts& block, Place place, Segments& into) {
  if (block.dispatched) return add_dispatched_backward(z, block, place, into);
  Operators to_core, core, from_core;
  add_end_backward(z, block, place, to_core);
  add_linears_backward(z, in_parts(z, block.out), to_core);
  append(block.core_backward, core);
  append(block.prepare_backward, from_core);
  add_linears_inputs(z, in_parts(z, block.in), from_core);
  append(block.enter_backward, from_core);
  add_scattered_copy(z, from_core);
  into.push_back({block.block, block.after, std::move(to_core), block.before_core_backward,
                  block.beside_core_backward});
  into.push_back({block.block, block.after, std::move(core), block.behind_core_backward});
  into.push_back({.block = block.block,
                  .part = block.before,
                  .kernels = std::move(from_core),
                  .point = in_front(block, place),
                  .beside = gradients_of_weights(z, block.in)});
}

// Every second product, and all that is no product.
void add_alternate(const Sizes& z, const BlockParts& block, Place place, bool last_product,
                   Operators& into) {
  if (has_norm(z, place)) add_norm(z, into);
  add_gathered_copy(z, into);
  append(block.enter, into);
  add_linears(z, in_parts(z, block.again_in), into);
  append(block.prepare, into);
  if (place.last) append_core(block, into);
  if (!place.last || last_product) add_linears(z, block.again_out, into);
  if (!place.last) add_residual(z, into);
}

// Of what is dispatched: all up to the last product, or with it.
void add_dispatched_again(const Sizes& z, const Parallelism& p, const BlockParts& block,
                          Place place, Operators& into) {
  if (p.recompute == Recompute::none || p.recompute == Recompute::selective) return;
  const bool last_product = recomputes_last(p);
  add_to_dispatch(z, block, place, into);
  add_linears(z, block.beside_in, into);
  append(block.beside_activation, into);
  add_rows(z, block, last_product, into);
  if (!last_product) return;
  add_linears(z, block.beside_out, into);
  add_from_combine(z, block, place, into);
}

void add_recomputed(const Sizes& z, const Parallelism& p, const BlockParts& block, Place place,
                    Operators& into) {
  if (block.dispatched) return add_dispatched_again(z, p, block, place, into);
  switch (p.recompute) {
    case Recompute::none:
      break;
    case Recompute::selective:
      // The fused core keeps no scores: there is nothing that selective recomputation would save.
      if (block.is_attention() && !z.fused()) append_core(block, into);
      break;
    case Recompute::alternate:
      add_alternate(z, block, place, recomputes_last(p), into);
      break;
    case Recompute::projections:
      if (place.last) {
        add_to_last(z, block, place, into);
        break;
      }
      add_norm(z, into);  // the gradients of the projections' weights read it
      add_from_core(z, block, place, into);
      break;
    case Recompute::experts:
      if (!place.last || z.experts.count == 0) break;
      [[fallthrough]];
    case Recompute::full:
      add_to_core(z, block, place, into);
      if (place.last && !recomputes_last(p)) {
        append_core(block, into);
      } else {
        add_from_core(z, block, place, into);
      }
      break;
  }
}

// Megatron's cross entropy: logits cast to FP32 (2 + 4 bytes), their maximum (4), subtracted
// (4 + 4), exponentials (4 + 4), their sum (4), divided by it (4 + 4). PyTorch's: the cast (2 + 4),
// the logarithm of the softmax (4 + 4). Fused: read (2).
Operator loss_forward(const Parallelism& p, double logits) {
  if (p.loss == Loss::fused) return memory_pass("loss", 2 * logits, 1, Work::loss);
  return p.kernels == Kernels::megatron ? memory_pass("loss", 38 * logits, 6, Work::loss)
                                        : memory_pass("loss", 14 * logits, 3, Work::loss);
}

// The gradient in FP32 (4 + 4) and its cast to BF16 (4 + 2). PyTorch's: zeros (4), the softmax's
// (4 + 4 + 4), the cast. Fused: in place (2 + 2).
Operator loss_backward(const Parallelism& p, double logits) {
  if (p.loss == Loss::fused) return memory_pass("loss backward", 4 * logits, 1, Work::loss);
  return p.kernels == Kernels::megatron ? memory_pass("loss backward", 14 * logits, 2, Work::loss)
                                        : memory_pass("loss backward", 22 * logits, 3, Work::loss);
}

// Logits and their loss, of the last stage or of a layer that predicts a further token.
Operators logits_forward(const Model& model, const Parallelism& p, const Sizes& z) {
  const double vocabulary = static_cast<double>(model.vocabulary) / p.tensor;
  const double logits = z.tokens * vocabulary;
  Operators into{gemm("logits", z.tokens, vocabulary, z.hidden)};
  if (model.logit_scale) into.push_back(memory_pass("logit scale", 4 * logits));
  if (model.logit_cap) into.push_back(memory_pass("logit cap", 4 * logits));
  into.push_back(loss_forward(p, logits));
  return into;
}

Operators logits_backward(const Model& model, const Parallelism& p, const Sizes& z) {
  const double vocabulary = static_cast<double>(model.vocabulary) / p.tensor;
  const double logits = z.tokens * vocabulary;
  Operators into{loss_backward(p, logits)};
  if (model.logit_cap) into.push_back(memory_pass("logit cap backward", 6 * logits));
  if (model.logit_scale) into.push_back(memory_pass("logit scale backward", 4 * logits));
  into.push_back(gemm("logits inputs", z.tokens, z.hidden, vocabulary, Gradient::inputs));
  into.push_back(weight_gradient(z, {.forward = "logits",
                                     .inputs = "logits inputs",
                                     .weights = "logits weights",
                                     .cast = "logits casts",
                                     .m = z.tokens,
                                     .n = vocabulary,
                                     .k = z.hidden}));
  return into;
}

// Patches are projected in place of words that are looked up, without a gradient of the pixels; outputs
// are of each patch or of a sample.
void add_vision_ends(const Model& model, const Sizes& z, EndOperators& ends) {
  const Linear patches{.forward = "patches",
                       .inputs = "patches inputs",
                       .weights = "patches weights",
                       .cast = "patches casts",
                       .m = z.local_tokens,
                       .n = z.hidden,
                       .k = static_cast<double>(model.vision.patch_values)};
  const double rows = model.vision.of_patches ? z.tokens : z.samples;
  const double outputs = model.vision.outputs;
  const Linear out{.forward = "outputs",
                   .inputs = "outputs inputs",
                   .weights = "outputs weights",
                   .cast = "outputs casts",
                   .m = rows,
                   .n = outputs,
                   .k = z.hidden};
  ends.embedding.front() = gemm(patches.forward, patches.m, patches.n, patches.k);
  ends.embedding_backward.back() = weight_gradient(z, patches);
  ends.head.push_back(gemm(out.forward, out.m, out.n, out.k));
  ends.head.push_back(memory_pass("loss", 14 * rows * outputs, 3, Work::loss));
  ends.head_backward = {memory_pass("loss backward", 22 * rows * outputs, 3, Work::loss),
                        gemm(out.inputs, out.m, out.k, out.n, Gradient::inputs),
                        weight_gradient(z, out)};
}

// The embedding of the token before and the hidden state are normalised, joined and projected; behind
// the layer come a norm and the logits.
void add_prediction(const Model& model, const Parallelism& p, const Sizes& z,
                    LayerOperators& layer) {
  const Linear join{.forward = "join",
                    .inputs = "join inputs",
                    .weights = "join weights",
                    .cast = "join casts",
                    .m = z.local_tokens,
                    .n = z.hidden,
                    .k = 2 * z.hidden};
  Operators before{memory_pass("embedding", 2 * z.activations())};
  for (int norms = 0; norms < 2; ++norms) add_norm(z, before);
  add_linear(z, join, before);
  Operators behind;
  add_norm(z, behind);
  append(logits_forward(model, p, z), behind);
  Operators back = logits_backward(model, p, z);
  add_norm_backward(z, back);
  Operators joined;
  add_linear_inputs(z, join, joined);
  joined.push_back(linear_weights(z, join));
  for (int norms = 0; norms < 2; ++norms) add_norm_backward(z, joined);
  constexpr std::string_view kBlock = "prediction";
  layer.forward.insert(layer.forward.begin(), {kBlock, {}, std::move(before), Point::inside_layer});
  layer.forward.push_back({kBlock, {}, std::move(behind), Point::inside_layer});
  layer.backward.insert(layer.backward.begin(), {kBlock, {}, std::move(back), Point::inside_layer});
  layer.backward.push_back({kBlock, {}, std::move(joined), Point::inside_layer});
}

}  // namespace

LayerOperators layer_operators(const Model& model, const Parallelism& parallelism, LayerKind kind) {
  const Sizes z = sizes_of(model, parallelism, kind);
  const std::vector<BlockParts> blocks = blocks_of(z);
  LayerOperators layer;
  for (std::size_t i = 0; i < blocks.size(); ++i) {
    const Place place = place_of(z, blocks, i);
    add_forward(z, blocks[i], place, layer.forward);
    add_recomputed(z, parallelism, blocks[i], place, layer.recompute);
  }
  for (std::size_t i = blocks.size(); i-- > 0;) {
    add_backward(z, blocks[i], place_of(z, blocks, i), layer.backward);
  }
  if (kind.predicts) add_prediction(model, parallelism, z, layer);
  return layer;
}

EndOperators end_operators(const Model& model, const Parallelism& parallelism) {
  const Sizes z = sizes_of(model, parallelism);
  EndOperators ends;
  ends.embedding = {memory_pass("embedding", 2 * z.activations())};  // words gathered
  if (z.positions == Model::Positions::learned) {
    ends.embedding.push_back(memory_pass("embedding positions", 3 * z.activations()));
  }
  if (model.embedding_norm) add_norm(z, ends.embedding);
  if (z.dropout) ends.embedding.push_back(memory_pass("embedding dropout", 2.5 * z.activations()));
  add_norm_backward(z, ends.embedding_backward);  // of the first layer
  if (model.embedding_norm) add_norm_backward(z, ends.embedding_backward);
  ends.embedding_backward.push_back(
      memory_pass("embedding backward", (1 + z.embedding_gradient_bytes) * z.activations(), 2));
  add_norm(z, ends.head);
  if (model.vision.patch_values > 0) {
    add_vision_ends(model, z, ends);
    return ends;
  }
  append(logits_forward(model, parallelism, z), ends.head);
  if (parallelism.loss_metrics > 0) {
    // Each as PyTorch's cross entropy forward: the cast (2 + 4), the logarithm of the softmax (4 + 4).
    const double metrics = parallelism.loss_metrics;
    const double logits = z.tokens * (static_cast<double>(model.vocabulary) / parallelism.tensor);
    ends.head.push_back(
        memory_pass("loss metrics", 14 * logits * metrics, 3 * metrics, Work::loss));
  }
  ends.head_backward = logits_backward(model, parallelism, z);
  return ends;
}

}  // namespace sim
