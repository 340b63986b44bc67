// SPDX-License-Identifier: Apache-2.0
#include "codecs/error/table.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <utility>

#include "codecs/error/cells.hpp"
#include "codecs/error/distributions.hpp"

namespace codecs {
namespace {

using Json = nlohmann::ordered_json;
using Cells = std::vector<ErrorCell>;

Json codec_error(const Codec& codec, std::span<const float> values, std::uint64_t seed) {
  return to_json(compare(values, encode_and_decode(codec, values, {.seed = seed})));
}

void add_codecs(const ErrorTableSize& size, std::uint64_t seed, Cells& cells) {
  std::vector<std::pair<std::string, Shared<std::vector<float>>>> tensors;
  for (const Distribution& distribution : all_distributions()) {
    tensors.emplace_back(distribution.name, Shared<std::vector<float>>([&distribution, size, seed] {
                           return draw(distribution, seed, size.elements);
                         }));
  }
  for (const Codec* codec : all_codecs()) {
    for (const auto& [name, values] : tensors) {
      const auto measure = [codec, values = values, seed] {
        return codec_error(*codec, *values, seed);
      };
      cells.push_back({"codecs", std::string(codec->name), name, measure});
    }
  }
}

Tensor cut(const Tensor& whole, std::size_t elements) {
  Tensor tensor = whole;
  if (tensor.values.size() <= elements || tensor.shape.empty()) return tensor;
  const std::size_t row = tensor.values.size() / tensor.shape.front();
  tensor.shape.front() = std::max<std::size_t>(1, elements / row);
  tensor.values.resize(tensor.shape.front() * row);
  return tensor;
}

void add_tensors(const ErrorTableSize& size, std::uint64_t seed, std::span<const Tensor> recorded,
                 Cells& cells) {
  std::vector<std::pair<std::string, Shared<Tensor>>> tensors;
  for (const SyntheticTensor& row : synthetic_tensors()) {
    tensors.emplace_back(row.name, Shared<Tensor>([&row, seed] { return row.make(row, seed); }));
  }
  for (const Tensor& tensor : recorded) {
    const auto first_rows = [part = cut(tensor, size.elements)] { return part; };
    tensors.emplace_back(tensor.name, Shared<Tensor>(first_rows));
  }
  for (const Codec* codec : all_codecs()) {
    for (const auto& [name, tensor] : tensors) {
      const auto measure = [codec, tensor = tensor, seed] {
        return codec_error(*codec, (*tensor).values, seed);
      };
      cells.push_back({"tensors", std::string(codec->name), name, measure});
    }
  }
}

}  // namespace

Json to_json(const ErrorMetrics& metrics) {
  return {{"relative_l2", metrics.relative_l2},
          {"cosine", metrics.cosine},
          {"max_abs", metrics.max_abs},
          {"bias", metrics.bias}};
}

Json error_provenance(const ErrorTableSize& size, std::span<const Tensor> recorded) {
  Json json{{"source", "CPU references of this repository, synthetic and recorded tensors"},
            {"command", "build/release/gardenhose-codec-error"},
            {"seeds", size.seeds},
            {"step_seeds", size.step_seeds},
            {"elements", size.elements},
            {"reduction_ranks", kGpusPerNode * kNodes},
            {"reduction_gpus_per_node", kGpusPerNode},
            {"reduction_elements_per_rank", size.rank_elements},
            {"trained_weights", size.trained_weights},
            {"feedback_elements", size.feedback_elements},
            {"feedback_steps", size.feedback_steps},
            {"all_reduce_ranks", size.all_reduce.ranks},
            {"all_reduce_rows", size.all_reduce.rows},
            {"all_reduce_columns", size.all_reduce.columns}};
  json["recorded_tensors"] = Json::object();
  for (const Tensor& tensor : recorded) {
    json["recorded_tensors"][tensor.name] = {{"source", tensor.source},
                                             {"shape", tensor.shape},
                                             {"measured_shape", cut(tensor, size.elements).shape}};
  }
  return json;
}

std::vector<ErrorCell> error_cells(const ErrorTableSize& size, std::uint64_t seed,
                                   std::span<const Tensor> recorded) {
  std::vector<ErrorCell> cells;
  add_codecs(size, seed, cells);
  add_reductions(size, seed, recorded, cells);
  add_tensors(size, seed, recorded, cells);
  if (seed > size.step_seeds) return cells;
  add_other_shapes(size, seed, cells);
  add_weights(size, seed, cells);
  add_feedback(size, seed, cells);
  add_fed_reductions(size, seed, cells);
  add_all_reduces(size, seed, cells);
  return cells;
}

Json error_table(const ErrorTableSize& size, std::span<const Tensor> recorded,
                 const std::function<void(std::size_t, std::size_t)>& done, const Codec* only) {
  const auto is_other = [only](const ErrorCell& cell) { return cell.row != only->name; };
  std::vector<Cells> of_seeds;
  std::size_t all = 0, before = 0;
  for (std::uint64_t seed = 1; seed <= size.seeds; ++seed) {
    of_seeds.push_back(error_cells(size, seed, recorded));
    if (only != nullptr) std::erase_if(of_seeds.back(), is_other);
    all += of_seeds.back().size();
  }
  std::vector<std::vector<Json>> figures(of_seeds.front().size());
  for (Cells& cells : of_seeds) {
    const auto measured =
        measure(cells, [&](std::size_t finished) { done(before + finished, all); });
    for (std::size_t i = 0; i < cells.size(); ++i) figures[i].push_back(measured[i]);
    before += cells.size();
    for (ErrorCell& cell : cells) cell.measure = nullptr;  // and the samples that cells share
  }
  Json table{{"provenance", error_provenance(size, recorded)}};
  for (const Codec* codec : all_codecs()) {
    if (only != nullptr && codec != only) continue;
    table["bits_per_element"][codec->name] = 8 * encoded_bytes_per_element(codec->format);
  }
  for (std::size_t i = 0; i < figures.size(); ++i) {
    const ErrorCell& cell = of_seeds.front()[i];
    Json& row = table[cell.section][cell.row];
    (cell.column.empty() ? row : row[cell.column]) = mean_over_seeds(figures[i]);
  }
  return table;
}

Json with_rows_of(const Codec& codec, Json table, const Json& measured) {
  for (const char* section : {"bits_per_element", "codecs", "tensors", "feedback"}) {
    Json rows = Json::object();
    for (const Codec* row : all_codecs()) {
      const Json& from = row == &codec ? measured : table;
      if (from.contains(section) && from.at(section).contains(row->name)) {
        rows[row->name] = from.at(section).at(row->name);
      }
    }
    table[section] = std::move(rows);
  }
  return table;
}

}  // namespace codecs
