// SPDX-License-Identifier: Apache-2.0
// Megatron-LM's arguments: of a script that starts it, or as it prints them. Forks keep them.
#include <string>

#include "sim/launch/frameworks/derive.hpp"
#include "sim/launch/frameworks/rows.hpp"

namespace sim::launch::frameworks {
namespace {

constexpr std::string_view kMegatronMarks[] = {"tensor-model-parallel-size", "micro-batch-size",
                                               "pipeline-model-parallel-size",
                                               "num-attention-heads"};

constexpr KeyRow kMegatronKeys[] = {
    means("tensor-model-parallel-size", "tp"),
    means("pipeline-model-parallel-size", "pp"),
    means("context-parallel-size", "cp"),
    means("cp-comm-type", "cp-exchange", "p2p=ring|a2a=all_to_all|allgather=all_gather"),
    means("expert-model-parallel-size", "ep"),
    means("expert-tensor-parallel-size", "etp"),
    means("num-layers-per-virtual-pipeline-stage", "_chunk_layers"),
    means("num-virtual-stages-per-pipeline-rank", "virtual-stages"),
    means("virtual-pipeline-model-parallel-size", "virtual-stages"),
    means("micro-batch-size", "micro-batch"),
    means("global-batch-size", "global-batch"),
    means("seq-length", "sequence"),
    means("sequence-parallel", "sequence-parallel", kOnOff),
    means("use-distributed-optimizer", "_distributed", kIfTrue),
    means("overlapped-distributed-optimizer", "_overlapped", kIfTrue),
    means("zero-stage", "_stage"),
    means("deepspeed", "_deepspeed", kIfTrue),
    means("use-torch-fsdp2", "_fsdp", kIfTrue),
    means("use-megatron-fsdp", "_fsdp", kIfTrue),
    means("use-custom-fsdp", "_fsdp", kIfTrue),
    means("data-parallel-sharding-strategy", "_sharding",
          "no_shard=0|optim=1|optim_grads=2|optim_grads_params=3"),
    means("overlap-grad-reduce", "_overlap_gradients", kIfTrue),
    means("overlap-param-gather", "_overlap_weights", kIfTrue),
    means("tp-comm-overlap", "_overlap_tensor", kIfTrue),
    means("moe-shared-expert-overlap", "_overlap_experts", kIfTrue),
    means("recompute-activations", "_granularity", "true=selective|false="),
    means("recompute-granularity", "_granularity", "full=full|selective=selective"),
    means("checkpoint-activations", "_granularity", "true=full|false="),
    means("recompute-method", "_recompute_method"),
    means("recompute-num-layers", "_recompute_layers"),
    means("use-flash-attn", "attention", "true=flash2|false="),
    means("use-flash-attn-v2", "attention", "true=flash2|false="),
    means("use-flash-attn-v1", "attention", "true=flash1|false="),
    means("use-flash-attn-triton", "attention", "true=flash1|false="),
    means("attention-backend", "attention",
          "auto=fused|flash=fused|fused=cudnn|unfused=unfused|local=unfused|"
          "attnbackend.auto=fused|attnbackend.flash=fused|attnbackend.fused=cudnn|"
          "attnbackend.unfused=unfused|attnbackend.local=unfused"),
    means("transformer-impl", "_impl"),
    means("use-mcore-models", "_mcore", kIfTrue),
    means("cross-entropy-loss-fusion", "loss", "true=fused|false="),
    means("bf16", "_half", "true=bf16|false="),
    means("fp16", "_half", "true=fp16|false="),
    means("fp8-format", "precision", "hybrid=fp8|e4m3=fp8"),
    means("fp8-hybrid", "precision", "true=fp8|false="),
    means("fp8", "precision", "hybrid=fp8|e4m3=fp8|true=fp8|false="),
    means("fp8-recipe", "_recipe", "delayed=fp8|tensorwise=fp8|mxfp8=mxfp8|blockwise=blockwise"),
    means("fp4-format", "precision", "e2m1=nvfp4"),
    means("accumulate-allreduce-grads-in-fp32", "_reduce", "true=fp32|false="),
    means("grad-reduce-in-bf16", "_reduce", "true=bf16|false="),
    means("optimizer", "optimizer", "adam=adamw|adamw=adamw|muon=muon|dist_muon=muon"),
    means("optimizer-cpu-offload", "optimizer-state", "true=host|false="),
    means("use-precision-aware-optimizer", "_aware", kIfTrue),
    unmodelled("ddp-bucket-size"),
    means("moe-token-dispatcher-type", "dispatcher",
          "alltoall=all_to_all|allgather=|alltoall_seq=all_to_all|flex=deepep"),
    means("moe-expert-capacity-factor", "capacity-factor"),
    means("cuda-graph-impl", "cuda-graphs", "none=|local=on|transformer_engine=on"),
    means("enable-cuda-graph", "cuda-graphs", "true=on|false="),
    // The model.
    means("num-layers", "model.layers"),
    means("hidden-size", "model.hidden"),
    means("ffn-hidden-size", "model.feed_forward"),
    means("num-attention-heads", "model.heads"),
    means("num-query-groups", "_groups"),
    means("group-query-attention", "_grouped", kIfTrue),
    means("kv-channels", "model.head_width"),
    means("swiglu", "model.feed_forward_kind", "true=swiglu|false="),
    means("squared-relu", "model.feed_forward_kind", "true=squared_relu|false="),
    means("normalization", "model.norm", "layernorm=layer_norm|rmsnorm=rms_norm"),
    means("glu-activation", "model.feed_forward_kind", "swiglu=swiglu|geglu=geglu"),
    means("RMSNorm", "model.norm", "true=rms_norm|false="),
    means("disable-bias-linear", "_biased", "true=false|false="),
    means("add-bias-linear", "_biased", "true=true|false=false"),
    means("add-qkv-bias", "_qkv_biased", kIfTrue),
    means("position-embedding-type", "model.positions",
          "rope=rotary|learned_absolute=learned|absolute=learned|rotary=rotary|"
          "alibi=alibi|none=none|mrope=rotary|yarn=rotary"),
    means("use-rotary-position-embeddings", "model.positions", "true=rotary|false="),
    means("rotary-percent", "model.rotary_share"),
    means("max-position-embeddings", "_positions"),
    means("qk-layernorm", "model.query_key_norm", "true=true|false=false"),
    means("untie-embeddings-and-output-weights", "model.tied_embeddings", "true=false|false=true"),
    means("causal-lm", "model.tied_embeddings", "true=false|false="),
    means("hidden-dropout", "_hidden_dropout"),
    means("attention-dropout", "_attention_dropout"),
    means("embed-layernorm", "model.embedding_norm", "true=true|false="),
    means("padded-vocab-size", "model.vocabulary"),
    means("pad-vocab-size-to", "model.vocabulary"),
    means("vocab-size", "_words"),
    means("make-vocab-size-divisible-by", "_divisible"),
    means("tokenizer-type", "_tokenizer"),
    means("vocab-file", "_vocab_file"),
    means("num-experts", "model.experts.count"),
    means("moe-router-topk", "model.experts.top_k"),
    means("moe-ffn-hidden-size", "model.experts.width"),
    means("moe-shared-expert-intermediate-size", "model.experts.shared_width"),
    means("model-name-or-path", "_model"),
    means("hf-model-name", "_model"),
    // The machines.
    means("nnodes", "_nnodes"),
    means("nodes", "_nodes"),
    means("num-nodes", "_nodes"),
    means("num_gpus", "_gpus_per_node"),
    means("nproc-per-node", "_nproc"),
    means("gpus-per-node", "_gpus_per_node"),
    means("ntasks-per-node", "_ntasks"),
    means("world-size", "_gpus"),
    means("data-parallel-size", "_dp"),
    // What changes time and no field says.
    unmodelled("rampup-batch-size"),
    unmodelled("step-batch-size-schedule"),
    unmodelled("decoder-first-pipeline-num-layers"),
    unmodelled("decoder-last-pipeline-num-layers"),
    unmodelled("pipeline-model-parallel-layout"),
    unmodelled("account-for-embedding-in-pipeline-split"),
    unmodelled("account-for-loss-in-pipeline-split"),
    unmodelled("hierarchical-context-parallel-sizes"),
    unmodelled("overlap-moe-expert-parallel-comm"),
    unmodelled("delay-wgrad-compute"),
    unmodelled("recompute-modules"),
    unmodelled("cpu-offloading"),
    unmodelled("multi-latent-attention"),
    unmodelled("moe-layer-freq", "1|null"),
    unmodelled("mtp-num-layers"),
    unmodelled("window-size"),
    unmodelled("num-distributed-optimizer-instances", "1"),
    unmodelled("moe-permute-fusion"),
    unmodelled("fp8-param-gather"),
    unmodelled("fp8-param"),
    unmodelled("first-last-layers-bf16"),
    unmodelled("distribute-saved-activations"),
    unmodelled("no-gradient-accumulation-fusion"),
    unmodelled("no-masked-softmax-fusion"),
    unmodelled("no-bias-gelu-fusion"),
    unmodelled("no-bias-dropout-fusion"),
    unmodelled("no-rope-fusion"),
    unmodelled("profile"),
    unmodelled("use-pytorch-profiler"),
    unmodelled("check-for-nan-in-loss-and-grad"),
    unmodelled("lora-*", "0|null"),
    unmodelled("reset-attention-mask"),
    unmodelled("deterministic-mode"),
    unmodelled("encoder-num-layers"),
    unmodelled("encoder-seq-length"),
    unmodelled("reduce-bucket-size"),
    unmodelled("timing-log-level", "0|null"),
    unmodelled("no-overlap-p2p-communication"),
    unmodelled("tp-comm-overlap-cfg"),
    unmodelled("nccl-communicator-config-path"),
    unmodelled("use-tp-pp-dp-mapping"),
    // What does not.
    harmless("adam-*"),
    harmless("sgd-*"),
    harmless("lr"),
    harmless("lr-*"),
    harmless("min-lr"),
    harmless("override-opt*"),
    harmless("use-checkpoint-*"),
    harmless("weight-decay*"),
    harmless("start-weight-decay"),
    harmless("end-weight-decay"),
    harmless("clip-grad"),
    harmless("init-method*"),
    harmless("init-model-with-meta-device"),
    harmless("logging-level"),
    harmless("no-check-for-nan-in-loss-and-grad"),
    unmodelled("use-nccl-ub"),
    unmodelled("nccl-ub"),
    unmodelled("fsdp-double-buffer"),
    harmless("fsdp-manual-registration"),
    harmless("train-*"),
    harmless("exit-*"),
    harmless("eval-*"),
    harmless("log-*"),
    harmless("save"),
    harmless("save-*"),
    harmless("load"),
    harmless("load-*"),
    harmless("ckpt-*"),
    harmless("no-load-*"),
    harmless("no-save-*"),
    harmless("finetune"),
    harmless("async-save"),
    harmless("auto-detect-ckpt-format"),
    harmless("dist-ckpt-*"),
    harmless("use-dist-ckpt*"),
    harmless("tensorboard-*"),
    harmless("wandb-*"),
    harmless("data-path"),
    harmless("data-impl"),
    harmless("data-cache-path"),
    harmless("split"),
    harmless("merge-file"),
    harmless("tokenizer-*"),
    harmless("dataloader-type"),
    harmless("num-workers"),
    harmless("mock-data"),
    harmless("seed"),
    harmless("layernorm-epsilon"),
    harmless("norm-epsilon"),
    harmless("rotary-base"),
    harmless("rotary-*"),
    harmless("rope-*"),
    harmless("use-rope-scaling"),
    harmless("no-position-embedding"),
    harmless("attention-softmax-in-fp32"),
    harmless("apply-layernorm-1p"),
    harmless("loss-scale*"),
    harmless("initial-loss-scale"),
    harmless("min-loss-scale"),
    harmless("hysteresis"),
    harmless("distributed-backend"),
    harmless("distributed-timeout-minutes"),
    harmless("no-async-tensor-model-parallel-allreduce"),
    harmless("no-create-attention-mask-in-dataloader"),
    harmless("create-attention-mask-in-dataloader"),
    harmless("use-cpu-initialization"),
    harmless("manual-gc*"),
    harmless("moe-router-load-balancing-type"),
    harmless("moe-aux-loss-coeff"),
    harmless("moe-z-loss-coeff"),
    harmless("moe-grouped-gemm"),
    harmless("moe-router-*"),
    harmless("fp8-margin"),
    harmless("fp8-interval"),
    harmless("fp8-amax-*"),
    harmless("no-fp8-wgrad"),
    harmless("ddp-average-in-collective"),
    harmless("ddp-num-buckets"),
    harmless("job-name"),
    harmless("exclusive"),
    harmless("container-*"),
    harmless("partition"),
    harmless("account"),
    harmless("time"),
    harmless("output"),
    harmless("error"),
    harmless("mem"),
    harmless("cpus-per-task"),
    harmless("gres"),
    harmless("gpus-per-task"),
    harmless("ntasks"),
    harmless("qos"),
    harmless("export"),
    harmless("cpu-bind"),
    harmless("mpi"),
    harmless("label"),
    harmless("no-container-*"),
    harmless("signal"),
    harmless("mail-*"),
    harmless("constraint"),
    harmless("comment"),
    harmless("overcommit"),
    harmless("node-rank"),
    harmless("master-addr"),
    harmless("master-port"),
    harmless("rdzv-*"),
    harmless("max-restarts"),
    harmless("tee"),
    harmless("redirects"),
    harmless("standalone"),
    harmless("local-rank"),
    harmless("rank"),
    unmodelled("empty-unused-memory-level"),
    unmodelled("pp-partition-method", "uniform|null"),
    unmodelled("deepspeed-config", "null"),
    unmodelled("deepspeed_config", "null"),
    unmodelled("use-pin-memory"),
    unmodelled("hybrid-layer-pattern"),
    unmodelled("hybrid-override-pattern"),
    unmodelled("mamba-*"),
    unmodelled("no-bias-swiglu-fusion"),
    unmodelled("use-bnb-optimizer"),
    unmodelled("bitfit"),
    unmodelled("freeze-*"),
    unmodelled("decoder-seq-length"),
    harmless("norm-target-loss"),
    harmless("loss-on-targets-only"),
    harmless("reset-progress"),
    harmless("trust-remote-code"),
    harmless("universal-checkpoint"),
    harmless("test-*"),
    harmless("exclude"),
    harmless("array"),
    harmless("skip-train-iteration-range"),
    harmless("eod-mask-loss"),
    harmless("mup*"),
    harmless("deepspeed-activation-checkpointing"),
    harmless("profile-*"),
    harmless("decoupled-*"),
    harmless("calculate-per-token-loss"),
    harmless("tiktoken-*"),
    harmless("no-mmap-bin-files"),
    harmless("reservation"),
    harmless("hint"),
    harmless("wait"),
    harmless("kill-*"),
    harmless("jobid"),
    harmless("dataset-*"),
    harmless("output-*"),
    harmless("valid-*"),
    harmless("abort-on-*"),
    harmless("sync-tp-duplicated-parameters"),
    harmless("cpu-freq"),
    harmless("mask-*"),
    harmless("codecarbon-dir"),
    harmless("$*"),
};

void derive_sharding(Facts& facts) {
  if (facts.is("_fsdp", "true")) {
    const std::string_view from = facts.has("_sharding") ? "_sharding" : "_fsdp";
    facts.derive("zero", facts.text("_sharding", "3"), from);
  } else if (facts.has("_stage")) {
    const bool shards = facts.is("_stage", "0") && facts.is("_half", "bf16");
    facts.derive("zero", shards ? "1" : facts.text("_stage"), "_stage");
    if (shards) facts.set("zero", {"1", "DeepSpeed's BF16 optimizer shards its states", {}});
  } else if (facts.is("_distributed", "true")) {
    facts.derive("zero", "1", "_distributed");
  } else if (facts.is("_overlapped", "true")) {
    facts.derive("zero", "1", "_overlapped");
    facts.derive("_overlap_gradients", "true", "_overlapped");
    facts.derive("_overlap_weights", "true", "_overlapped");
    facts.assume("_reduce", "bf16", "the overlapped optimizer reduces gradients as they are");
  } else {
    facts.assume("zero", "0", "no distributed optimizer");
  }
}

void derive_gradients(Facts& facts) {
  if (facts.has("_reduce"))
    return facts.derive("gradient-precision", facts.text("_reduce"), "_reduce");
  if (facts.is("_half", "fp16")) {
    facts.assume("gradient-precision", "bf16", "FP16 gradients are reduced in their 16 bits");
  } else {
    facts.assume("gradient-precision", "fp32", "BF16 training accumulates and reduces in FP32");
  }
}

void derive_megatron_model(Facts& facts) {
  if (facts.has("_groups") && !facts.is("_grouped", "false")) {
    facts.derive("model.kv_heads", facts.text("_groups"), "_groups");
  }
  const auto hidden = facts.count("model.hidden");
  if (!hidden) return;
  const bool gated = facts.is("model.feed_forward_kind", "swiglu");
  if (!facts.has("model.feed_forward")) {
    // arguments.py: 4 h, or for SwiGLU two thirds of that in multiples of 64.
    facts.derive("model.feed_forward",
                 std::to_string(gated ? *hidden * 4 * 2 / 3 / 64 * 64 : 4 * *hidden),
                 "model.hidden");
  }
  facts.assume("model.feed_forward_kind", "gelu", "GELU unless told");
  facts.assume("model.norm", "layer_norm", "layer norm unless told");
  facts.assume("model.positions", "learned", "learned positions unless told");
  if (facts.is("model.positions", "learned") && facts.has("_positions")) {
    facts.derive("model.position_table", facts.text("_positions"), "_positions");
  }
  if (!facts.is("model.positions", "rotary")) facts.forget("model.rotary_share");
  const bool biased = !facts.is("_biased", "false");
  facts.assume("model.biases",
               biased                            ? "all"
               : facts.is("_qkv_biased", "true") ? "qkv"
                                                 : "none",
               biased ? "biases unless told" : "without biases of linear layers");
  facts.assume("model.tied_embeddings", "true", "tied embeddings unless told");
  derive_dropout(facts, "0.1", "dropout of 0.1 unless told");
  derive_sizes(facts);
  if (facts.has("model.experts.count")) {
    if (!facts.has("model.experts.width")) {
      facts.derive("model.experts.width", facts.text("model.feed_forward"), "model.feed_forward");
    }
    facts.forget("model.feed_forward");
    facts.assume("model.experts.top_k", "2", "two experts for each token unless told");
  }
  const std::string tokenizer = facts.text("_tokenizer", facts.has("_vocab_file") ? "GPT2BPE" : "");
  if (const auto words = facts.count("_words")) {
    return derive_vocabulary(facts, *words, 128, "the words of vocab-size, padded");
  }
  if (tokenizer.starts_with("GPT2BPE"))
    derive_vocabulary(facts, 50257, 128, "the 50257 words of GPT-2's tokenizer, padded");
  if (tokenizer.starts_with("Llama2"))
    derive_vocabulary(facts, 32000, 128, "the 32000 words of Llama 2's tokenizer, padded");
}

void derive_megatron_attention(Facts& facts) {
  const bool engine = facts.is("_impl", "transformer_engine") || facts.is("_mcore", "true");
  if (engine) facts.assume("attention", "fused", "Transformer Engine's attention");
}

void derive_megatron(Facts& facts) {
  derive_sharding(facts);
  derive_gradients(facts);
  derive_overlap(facts, "no key asks for overlap");
  derive_recompute(facts);
  derive_megatron_attention(facts);
  derive_nodes(facts, {"_nnodes", "_nodes"}, {"_nproc", "_gpus_per_node", "_ntasks"});
  if (const auto chunk = facts.count("_chunk_layers")) {
    const std::int64_t layers = facts.count_or("model.layers", 0);
    const std::int64_t stages = facts.count_or("pp", 1);
    if (layers > 0 && layers % (stages * *chunk) == 0) {
      facts.derive("virtual-stages", std::to_string(layers / stages / *chunk), "_chunk_layers");
    }
  }
  if (facts.has("precision") && facts.has("_recipe")) {
    const bool known = !facts.is("_recipe", "blockwise");
    if (known) facts.derive("precision", facts.text("_recipe"), "_recipe");
    if (!known) facts.warn("_recipe", "one scale a block; taken as one a tensor");
  }
  if (facts.is("_aware", "true")) facts.warn("_aware", "states in fewer bits; taken as FP32");
  facts.assume("stack", "megatron", "its kernels");
  derive_megatron_model(facts);
}

}  // namespace

constinit const Framework megatron{
    .name = "Megatron-LM",
    .title = "a script or a log with Megatron-LM's arguments",
    .source = "github.com/NVIDIA/Megatron-LM: megatron/training/arguments.py",
    .marks = kMegatronMarks,
    .keys = kMegatronKeys,
    .shared = {},
    .derive = derive_megatron};

}  // namespace sim::launch::frameworks
