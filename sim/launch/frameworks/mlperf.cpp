// SPDX-License-Identifier: Apache-2.0
// The exports with which submissions to MLPerf Training configure NeMo.
#include <algorithm>
#include <string>

#include "sim/launch/frameworks/derive.hpp"
#include "sim/launch/frameworks/rows.hpp"

namespace sim::launch::frameworks {
namespace {

constexpr std::string_view kMlperfMarks[] = {"$DGXNNODES", "$DGXNGPU", "$MINIBS"};

constexpr KeyRow kMlperfKeys[] = {
    means("$DGXNNODES", "_nodes"),
    means("$DGXNGPU", "_gpus"),
    means("$MINIBS", "_minibatch"),
    means("$MICRO_BATCH_SIZE", "micro-batch"),
    means("$GLOBAL_BATCH_SIZE", "global-batch"),
    means("$GBS", "global-batch"),
    means("$TENSOR_MODEL_PARALLEL", "tp"),
    means("$TP", "tp"),
    means("$PIPELINE_MODEL_PARALLEL", "pp"),
    means("$PP", "pp"),
    means("$CONTEXT_PARALLEL", "cp"),
    means("$CP", "cp"),
    means("$EXPERT_MODEL_PARALLEL", "ep"),
    means("$INTERLEAVED_PIPELINE", "virtual-stages", "0=|null=|*=*"),
    means("$VIRTUAL_PIPELINE", "virtual-stages", "0=|null=|*=*"),
    means("$SEQ_PARALLEL", "sequence-parallel", kOnOff),
    means("$SP", "sequence-parallel", kOnOff),
    means("$MAX_SEQLEN", "sequence"),
    means("$ENCODER_SEQ_LENGTH", "sequence"),
    means("$MODEL_SIZE", "_model",
          "8b=llama-3.1-8b|70b=llama-2-70b|405b=llama-3.1-405b|175b=gpt-175b|*=*"),
    means("$TP_COMM_OVERLAP", "_overlap_tensor", kIfTrue),
    means("$UB_TP_COMM_OVERLAP", "_overlap_tensor", kIfTrue),
    means("$OVERLAP_GRAD_REDUCE", "_overlap_gradients", kIfTrue),
    means("$OVERLAP_GRAD_SYNC", "_overlap_gradients", kIfTrue),
    means("$OVERLAP_PARAM_GATHER", "_overlap_weights", kIfTrue),
    means("$OVERLAP_PARAM_SYNC", "_overlap_weights", kIfTrue),
    means("$USE_DIST_OPTIMIZER", "zero", "true=1|false=0"),
    means("$FP8", "precision", "true=fp8|false=bf16|1=fp8|0=bf16"),
    harmless("$FP8_HYBRID"),
    means("$ACT_CKPT_GRANULARITY", "_granularity", "full=full|selective=selective"),
    unmodelled("$FP8_DPA"),
    unmodelled("$LAYER_CUDA_GRAPH"),
    unmodelled("$MCORE_CUDA_GRAPH"),
    unmodelled("$CPU_OFFLOADING"),
    unmodelled("$OFFLOADING_LAYERS"),
    unmodelled("$SHARP"),
    unmodelled("$PROFILE"),
    unmodelled("$NVTX_FLAG"),
    unmodelled("$NCCL_MIN_*", "null"),
    unmodelled("$NCCL_MAX_*", "null"),
    means("$NCCL_PROTO", "protocol"),
    means("$NCCL_ALGO", "algorithm"),
    unmodelled("$LORA_*", "null"),
    unmodelled("$DYNAMIC_CP*"),
    harmless("$*"),
    harmless("*"),
};

void derive_mlperf(Facts& facts) {
  derive_nodes(facts, {"_nodes"}, {"_gpus"});
  facts.forget("_gpus");  // of a node
  if (const auto batch = facts.count("_minibatch")) {
    const std::int64_t micro = facts.count_or("micro-batch", 1);
    if (*batch % micro != 0) {
      refuse(*facts.find("_minibatch"), "accumulation", "is not a multiple of MICRO_BATCH_SIZE");
    }
    if (!facts.has("global-batch")) {
      facts.derive("accumulation", std::to_string(*batch / micro), "_minibatch");
    }
  }
  facts.assume("zero", "1", "NeMo's distributed optimizer");
  if (facts.has("_overlap_tensor") || facts.has("_overlap_gradients")) {
    derive_overlap(facts, "no export asks for overlap");
  }
  facts.assume("gradient-precision", "bf16", "submissions reduce gradients in BF16");
  facts.assume("stack", "nemo", "its kernels");
}

}  // namespace

constinit const Framework mlperf{
    .name = "MLPerf",
    .title = "the exports of an MLPerf submission",
    .source = "github.com/mlcommons/training_results_v5.1: large_language_model_pretraining",
    .marks = kMlperfMarks,
    .keys = kMlperfKeys,
    .shared = {},
    .derive = derive_mlperf};

}  // namespace sim::launch::frameworks
