// SPDX-License-Identifier: Apache-2.0
// Every row of every framework's keys has the effect that it names, in a file that has the key.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <sstream>
#include <string>
#include <vector>

#include "tests/launch/launches.hpp"

namespace sim::launch {
namespace {

// Files around the key that is tried: with pipelines, tensor parallelism and everything that makes
// others count.
const std::multimap<std::string_view, std::string_view> kAround{
    {"torchtitan",
     "[model]\nname = 'llama3'\nflavor = '8B'\n[training]\nlocal_batch_size = 8\n[parallelism]\n"
     "tensor_parallel_degree = 2\npipeline_parallel_degree = 2\n"},
    {"torchtitan",
     "[parallelism]\ndata_parallel_shard_degree = 4\ndata_parallel_replicate_degree = 2\n"
     "[activation_checkpoint]\nmode = 'selective'\n[model]\nconverters = ['float8']\n"},
    {"Megatron-LM",
     "x --tensor-model-parallel-size 2 --pipeline-model-parallel-size 2 --num-layers 8 "
     "--hidden-size 64 --num-attention-heads 4 --micro-batch-size 1 --bf16 --fp8-format hybrid "
     "--sequence-parallel --vocab-size 1000\n"},
    {"Megatron-LM",
     "x --tensor-model-parallel-size 2 --num-layers 8 --hidden-size 64 --num-attention-heads 4 "
     "--vocab-file v --num-experts 4 --group-query-attention --use-torch-fsdp2 "
     "--recompute-granularity full --recompute-method block --recompute-num-layers 2\n"},
    {"Megatron-LM",
     "x --micro-batch-size 1 --num-layers 8 --hidden-size 64 --num-attention-heads 4 "
     "--position-embedding-type rope --recompute-granularity full --recompute-method block "
     "--num-query-groups 2\n"},
    {"NeMo",
     "trainer:\n  num_nodes: 2\nmodel:\n  tensor_model_parallel_size: 2\n  num_layers: 8\n"
     "  hidden_size: 64\n  num_attention_heads: 4\n  num_moe_experts: 4\n  optim:\n"
     "    overlap_grad_sync: true\n"},
    {"NeMo",
     "model:\n  tensor_model_parallel_size: 2\n  num_layers: 8\n  hidden_size: 64\n"
     "  num_attention_heads: 4\n  activations_checkpoint_granularity: full\n"
     "  activations_checkpoint_method: block\n  activations_checkpoint_num_layers: 3\n"
     "  position_embedding_type: rope\n"},
    {"MLPerf", "export DGXNNODES=2\nexport DGXNGPU=8\nexport TENSOR_MODEL_PARALLEL=2\n"},
    {"nanotron",
     "parallelism:\n  tp_mode: ALL_REDUCE\n  tp: 2\n  pp: 2\n  dp: 2\ntokens:\n"
     "  micro_batch_size: 1\nmodel:\n  model_config:\n    num_hidden_layers: 8\n"
     "    hidden_size: 64\n    num_attention_heads: 4\n    vocab_size: 1001\n"},
    {"gpt-neox",
     "model_parallel_size: 2\nnum_layers: 8\nhidden_size: 64\nnum_attention_heads: 4\n"
     "gpt_j_residual: true\ntokenizer_type: HFTokenizer\nzero_optimization:\n  overlap_comm: true\n"
     "pos_emb: rotary\nactivation: swiglu\n"},
    {"gpt-neox",
     "model_parallel_size: 2\nnum_layers: 8\nhidden_size: 64\nnum_attention_heads: 4\n"},
    {"axolotl", "base_model: x/y\nsequence_len: 16\ndp_replicate_size: 2\nfsdp_version: 2\n"},
    {"axolotl",
     "base_model: x/y\nsequence_len: 16\ndeepspeed:\n  zero_optimization:\n    stage: 3\n"},
    {"axolotl", "base_model: x/y\n"},
    {"LLaMA-Factory",
     "per_device_train_batch_size: 1\nsequence_len: 16\ncutoff_len: 9\nfsdp_version: 2\n"},
    {"LLaMA-Factory", "finetuning_type: full\ndeepspeed:\n  zero_optimization:\n    stage: 3\n"},
    {"LLaMA-Factory", "per_device_train_batch_size: 1\n"},
};

Document parsed(const Framework& framework, std::string_view text) {
  if (framework.name == "torchtitan") return parse_toml_entries(text, "f");
  if (framework.name == "Megatron-LM" || framework.name == "MLPerf") return parse_shell(text, "f");
  return parse_yaml(text, "f");
}

// All that a reader is told.
std::string told(const Document& document) {
  std::string text;
  try {
    const Launch launch = launch_of(document);
    for (const auto* fields : {&launch.fields, &launch.model}) {
      for (const Field& field : *fields) text += field.name + "=" + field.fact.value + "\n";
    }
    if (launch.model_name) text += launch.model_name->value + "\n";
    if (launch.gpus) text += std::to_string(*launch.gpus) + "\n";
    for (const std::string& line : launch.not_modelled) text += line + "\n";
    for (const std::string& line : launch.unknown) text += "unknown " + line + "\n";
  } catch (const InputError& error) {
    text = error.what();
  }
  return text;
}

// The row's key with each '*' filled in.
std::string concrete(std::string_view pattern) {
  std::string key;
  for (const char c : pattern) key += c == '*' ? "0" : std::string(1, c);
  return key;
}

std::vector<std::string> values_for(const KeyRow& row) {
  std::vector<std::string> values;
  std::istringstream parts{std::string(row.values)};
  for (std::string one; std::getline(parts, one, '|');) {
    if (!one.empty() && !one.starts_with("*")) values.push_back(one.substr(0, one.find('=')));
  }
  for (const char* more : {"4",
                           "2",
                           "8",
                           "true",
                           "false",
                           "none",
                           "0.25",
                           "blockwise",
                           "selective",
                           "lora",
                           "ddp",
                           "block",
                           "GPT2BPETokenizer",
                           "sentencepiece",
                           "llama",
                           "float32",
                           "GPipe",
                           "rowwise",
                           "transformer_engine",
                           "sparse",
                           "0.1",
                           "0.0",
                           "offload",
                           "distributed_fused_adam",
                           "float8",
                           "adam"}) {
    values.emplace_back(more);
  }
  return values;
}

std::string with_entry(const Document& around, const std::string& key, const std::string& value) {
  Document document = around;
  // In place of the key where it is there.
  std::erase_if(document.entries, [&](const Entry& one) { return is_key(key, one.key); });
  add(document, {key, value, {"f", 99}});
  return told(document);
}

std::string without(const Document& around, const std::string& key) {
  Document document = around;
  std::erase_if(document.entries, [&](const Entry& one) { return is_key(key, one.key); });
  return told(document);
}

void expect_effect(const Framework& framework, const KeyRow& row) {
  const std::string key = concrete(row.key);
  // A row of '*' may stand behind one of the whole key.
  const KeyRow* found = row_of(framework, key);
  ASSERT_NE(found, nullptr) << key;
  bool has_effect = false, is_unknown = false;
  const auto [first, last] = kAround.equal_range(framework.name);
  for (auto around = first; around != last; ++around) {
    const Document document = parsed(framework, around->second);
    for (const std::string& value : values_for(row)) {
      const std::string with = with_entry(document, key, value);
      has_effect = has_effect || with != without(document, key);
      is_unknown = is_unknown || with.find("unknown f:99") != std::string::npos;
    }
  }
  EXPECT_FALSE(is_unknown) << framework.name << ": " << key;
  EXPECT_EQ(has_effect, found->effect != KeyRow::Effect::harmless) << framework.name << ": " << key;
}

TEST(KeyRows, HaveTheEffectThatTheyName) {
  for (const Framework* framework : all_frameworks()) {
    for (const auto rows : {framework->keys, framework->shared}) {
      for (const KeyRow& row : rows) expect_effect(*framework, row);
    }
  }
}

TEST(KeyRows, NameEachKeyOnceInAFramework) {
  for (const Framework* framework : all_frameworks()) {
    std::vector<std::string_view> keys;
    for (const KeyRow& row : framework->keys) keys.push_back(row.key);
    std::ranges::sort(keys);
    const auto twice = std::ranges::adjacent_find(keys);
    EXPECT_EQ(twice, keys.end()) << framework->name << ": " << *twice;
    EXPECT_FALSE(framework->source.empty());
  }
}

TEST(KeyRows, AFileOfEachFrameworkIsTold) {
  for (const auto& [name, text] : kAround) {
    for (const Framework* framework : all_frameworks()) {
      if (framework->name != name) continue;
      EXPECT_EQ(framework_of(parsed(*framework, text)).name, name) << text;
    }
  }
}

}  // namespace
}  // namespace sim::launch
