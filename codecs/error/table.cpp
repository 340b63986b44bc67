#include "codecs/error/table.hpp"

#include <algorithm>
#include <utility>

#include "codecs/error/cells.hpp"
#include "codecs/error/distributions.hpp"
#include "codecs/error/feedback_error.hpp"

namespace codecs {
namespace {

using Json = nlohmann::ordered_json;
using Cells = std::vector<ErrorCell>;

Json codec_error(const Codec& codec, std::span<const float> values, std::uint64_t seed) {
  return to_json(compare(values, encode_and_decode(codec, values, {.seed = seed})));
}

void add_codecs(const ErrorTableSize& size, Cells& cells) {
  std::vector<std::pair<std::string, Shared<std::vector<float>>>> tensors;
  for (const Distribution& distribution : all_distributions()) {
    tensors.emplace_back(distribution.name, Shared<std::vector<float>>([&distribution, size] {
                           return draw(distribution, size.seed, size.elements);
                         }));
  }
  for (const Codec* codec : all_codecs()) {
    for (const auto& [name, values] : tensors) {
      const auto measure = [codec, values = values, size] {
        return codec_error(*codec, *values, size.seed);
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

void add_tensors(const ErrorTableSize& size, std::span<const Tensor> recorded, Cells& cells) {
  std::vector<std::pair<std::string, Shared<Tensor>>> tensors;
  for (const SyntheticTensor& row : synthetic_tensors()) {
    tensors.emplace_back(row.name,
                         Shared<Tensor>([&row, size] { return row.make(row, size.seed); }));
  }
  for (const Tensor& tensor : recorded) {
    const auto first_rows = [part = cut(tensor, size.elements)] { return part; };
    tensors.emplace_back(tensor.name, Shared<Tensor>(first_rows));
  }
  for (const Codec* codec : all_codecs()) {
    for (const auto& [name, tensor] : tensors) {
      const auto measure = [codec, tensor = tensor, size] {
        return codec_error(*codec, (*tensor).values, size.seed);
      };
      cells.push_back({"tensors", std::string(codec->name), name, measure});
    }
  }
}

Json to_json(const FeedbackErrors& errors) {
  Json figures{{"contraction", errors.contraction}};
  if (errors.bounded) {
    figures["residual"] = errors.residual;
    figures["running_sum"] = errors.running_sum;
  } else {
    figures["bounded"] = false;
  }
  return figures;
}

bool loses_much(const Codec& codec, std::span<const float> values, std::uint64_t seed) {
  const std::vector<float> decoded = encode_and_decode(codec, values, {.seed = seed});
  return compare(values, decoded).relative_l2 > kFeedbackAbove;
}

void add_feedback(const ErrorTableSize& size, Cells& cells) {
  using Steps = std::vector<std::vector<float>>;
  const Shared<Steps> gradients([size] {
    return draw_steps({.distribution = &distribution_named("normal"),
                       .elements = size.feedback_elements,
                       .steps = size.feedback_steps,
                       .seed = size.seed});
  });
  const std::vector<float> normal = draw(distribution_named("normal"), size.seed, 1 << 14);
  for (const Codec* codec : all_codecs()) {
    if (!loses_much(*codec, normal, size.seed)) continue;
    for (const FeedbackRule& rule : feedback_rules(codec->format)) {
      const auto measure = [codec, rule, gradients, size] {
        return to_json(feedback_errors(*codec, rule.feedback, *gradients, size.seed));
      };
      cells.push_back({"feedback", std::string(codec->name), std::string(rule.name), measure});
    }
  }
}

Json provenance(const ErrorTableSize& size, std::span<const Tensor> recorded) {
  Json json{{"source", "CPU references of this repository, synthetic and recorded tensors"},
            {"command", "build/release/gardenhose-codec-error"},
            {"seed", size.seed},
            {"reduction_seed", size.reduction_seed},
            {"elements", size.elements},
            {"reduction_ranks", kGpusPerNode * kNodes},
            {"reduction_gpus_per_node", kGpusPerNode},
            {"reduction_elements_per_rank", size.rank_elements},
            {"trained_weights", size.trained_weights},
            {"feedback_elements", size.feedback_elements},
            {"feedback_steps", size.feedback_steps}};
  json["recorded_tensors"] = Json::object();
  for (const Tensor& tensor : recorded) {
    json["recorded_tensors"][tensor.name] = {{"source", tensor.source},
                                             {"shape", tensor.shape},
                                             {"measured_shape", cut(tensor, size.elements).shape}};
  }
  return json;
}

}  // namespace

Json to_json(const ErrorMetrics& metrics) {
  return {{"relative_l2", metrics.relative_l2},
          {"cosine", metrics.cosine},
          {"max_abs", metrics.max_abs},
          {"bias", metrics.bias}};
}

std::vector<ErrorCell> error_cells(const ErrorTableSize& size, std::span<const Tensor> recorded) {
  std::vector<ErrorCell> cells;
  add_codecs(size, cells);
  add_reductions(size, cells);
  add_weights(size, cells);
  add_tensors(size, recorded, cells);
  add_feedback(size, cells);
  return cells;
}

Json error_table(const ErrorTableSize& size, std::span<const Tensor> recorded,
                 const std::function<void(std::size_t, std::size_t)>& done) {
  const std::vector<ErrorCell> cells = error_cells(size, recorded);
  const std::vector<Json> figures =
      measure(cells, [&](std::size_t finished) { done(finished, cells.size()); });
  Json table{{"provenance", provenance(size, recorded)}};
  for (const Codec* codec : all_codecs()) {
    table["bits_per_element"][codec->name] = 8 * encoded_bytes_per_element(codec->format);
  }
  for (std::size_t i = 0; i < cells.size(); ++i) {
    Json& row = table[cells[i].section][cells[i].row];
    (cells[i].column.empty() ? row : row[cells[i].column]) = figures[i];
  }
  return table;
}

}  // namespace codecs
