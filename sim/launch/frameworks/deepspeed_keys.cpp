// SPDX-License-Identifier: Apache-2.0
#include "sim/launch/frameworks/deepspeed_keys.hpp"

#include <string>

#include "sim/launch/frameworks/derive.hpp"

namespace sim::launch::frameworks {
namespace {

bool is_true(const Facts& facts, std::string_view name) { return facts.is(name, "true"); }

void derive_deepspeed(Facts& facts) {
  const std::string stage = facts.text("_stage");
  facts.derive("zero", stage, "_stage");
  // zero/config.py: overlap_comm is on for stage 3 unless told.
  const std::string overlap = facts.text("_overlap", stage == "3" ? "true" : "false");
  const std::string both = stage == "3" ? "gradients,weights" : "gradients";
  facts.set("overlap", {overlap == "true" ? both : "none", "DeepSpeed's overlap_comm", {}});
  if (facts.has("_overlap")) facts.derive("overlap", facts.text("overlap"), "_overlap");
  if (is_true(facts, "_offload_optimizer"))
    facts.derive("optimizer-state", "host", "_offload_optimizer");
  if (is_true(facts, "_offload_weights") && stage == "3") {
    facts.derive("offload-weights", "on", "_offload_weights");
    facts.derive("optimizer-state", "host", "_offload_weights");
  }
  if (facts.has("_hpz"))
    facts.warn("_hpz", "a second copy of the shards in each node; taken as none");
  const auto take = [&](std::string_view field, std::string_view from) {
    if (!facts.has(field) && facts.has(from)) facts.derive(field, facts.text(from), from);
  };
  take("micro-batch", "_ds_micro");
  take("accumulation", "_ds_accumulation");
  if (!facts.has("accumulation")) take("global-batch", "_ds_batch");
  if (const auto bucket = facts.count("_bucket"); bucket && !facts.is("overlap", "none")) {
    facts.derive("bucket-size", std::to_string(*bucket * 2) + "B", "_bucket");
  }
  facts.assume("gradient-precision", "bf16", "DeepSpeed reduces in the model's 16 bits");
  if (facts.has("backward-prefetch")) facts.forget("backward-prefetch");
}

void derive_fsdp(Facts& facts) {
  facts.derive("zero", facts.text("_fsdp", "3"), facts.has("_fsdp") ? "_fsdp" : "_fsdp2");
  const std::string more = facts.text("_fsdp_more");
  if (is_true(facts, "_offload") || more == "offload") {
    const std::string_view from = is_true(facts, "_offload") ? "_offload" : "_fsdp_more";
    facts.derive("offload-weights", "on", from);
    facts.derive("optimizer-state", "host", from);
    facts.warn(from,
               "the hosts' processors update the weights; taken as the GPUs, with the state "
               "copied there and back");
  }
  if (facts.has("_reshard")) facts.derive("reshard", facts.text("_reshard"), "_reshard");
  if (!facts.is("zero", "3")) {
    for (const char* name : {"reshard", "backward-prefetch", "offload-weights"}) facts.forget(name);
  }
  facts.assume("stack", "transformers", "Hugging Face's Trainer on FSDP");
  facts.assume("gradient-precision", "bf16", "FSDP's mixed precision reduces in BF16");
}

}  // namespace

void derive_trainer(Facts& facts) {
  if (facts.has("_stage")) {
    derive_deepspeed(facts);
    if (!facts.is("zero", "3")) facts.assume("kernels", "eager", "PyTorch's kernels");
    facts.assume("attention", "sdpa", "PyTorch's attention");
  } else if (facts.has("_fsdp") || facts.has("_fsdp2")) {
    derive_fsdp(facts);
  } else {
    facts.assume("zero", "0", "neither DeepSpeed nor FSDP: DDP");
    facts.assume("overlap", "gradients", "DDP reduces beside the backward pass");
    facts.assume("kernels", "eager", "PyTorch's kernels");
    facts.assume("attention", "sdpa", "PyTorch's attention");
    facts.assume("gradient-precision", "fp32", "DDP reduces the FP32 gradients of FP32 weights");
  }
  if (is_true(facts, "_compile")) facts.derive("kernels", "compiled", "_compile");
  if (facts.has("_fsdp_recompute")) {
    facts.derive("recompute", facts.text("_fsdp_recompute"), "_fsdp_recompute");
  }
  derive_nodes(facts, {"_nnodes", "_nodes"}, {"_nproc", "_gpus_per_node"});
}

}  // namespace sim::launch::frameworks
