// SPDX-License-Identifier: Apache-2.0
// A matrix product on one stream and a kernel on another, each alone and both together.
#include <algorithm>
#include <cmath>
#include <functional>

#include "apps/calibrate/gpu/measure.hpp"
#include "apps/calibrate/gpu/operands.hpp"
#include "apps/calibrate/gpu/operations.hpp"
#include "codecs/cuda/memory_passes.hpp"

namespace calibrate {
namespace {

using codecs::cuda::check;
using codecs::cuda::Event;
using codecs::cuda::Stream;
using Launch = std::function<void(std::size_t, cudaStream_t)>;

constexpr std::size_t kCodecBytes = std::size_t{64} << 20;    // of float32 input
constexpr std::size_t kBytesPerBlock = std::size_t{8} << 20;  // that a block copies
constexpr int kBlocks[] = {1, 2, 4, 8, 16, 32};  // channels of NCCL's collectives: 1 to 32
constexpr const char* kCodecs[] = {"int8_g128_hadamard_sr", "int4_g128_sr"};
constexpr double kMostBeside = 4000;
constexpr int kQuickSamples = 5;

struct Beside {
  std::string kernel;
  int blocks = 0;
  Launch launch;
};

struct Together {
  double product_s = 0;  // each
  double kernel_s = 0;
};

struct Rounds {
  std::size_t products = 10;
  int rounds = 5;
};

// Products, and kernels from the same moment until long after: those kernels count that ended
// before the last product did.
Together run_together(const Launch& product, std::size_t products, const Launch& kernel,
                      std::size_t kernels) {
  const Stream of_products, of_kernels;
  const Event start, end;
  const std::vector<Event> ends(kernels);
  start.record(of_products);
  check(cudaStreamWaitEvent(of_kernels.get(), start.get(), 0));
  for (std::size_t i = 0; i < std::max(products, kernels); ++i) {
    if (i < products) product(i, of_products.get());
    if (i + 1 == products) end.record(of_products);
    if (i < kernels) kernel(i, of_kernels.get());
    if (i < kernels) ends[i].record(of_kernels);
  }
  of_products.wait();
  of_kernels.wait();
  const double products_s = codecs::cuda::seconds_between(start, end);
  Together result{.product_s = products_s / static_cast<double>(products), .kernel_s = 0};
  for (std::size_t i = 0; i < kernels; ++i) {
    const double ended = codecs::cuda::seconds_between(start, ends[i]);
    if (i == 0 || ended <= products_s) result.kernel_s = ended / static_cast<double>(i + 1);
  }
  return result;
}

struct Alone {
  Launch product;
  double product_s = 0;
  Launch kernel;
  double kernel_s = 0;
};

Together median_together(const Alone& alone, const Rounds& rounds) {
  // Enough kernels for products that take twice as long.
  const double wanted =
      std::ceil(2 * static_cast<double>(rounds.products) * alone.product_s / alone.kernel_s);
  const auto kernels = static_cast<std::size_t>(std::clamp(wanted, 1.0, kMostBeside));
  std::vector<double> products, beside;
  for (int round = 0; round <= rounds.rounds; ++round) {
    const Together one = run_together(alone.product, rounds.products, alone.kernel, kernels);
    if (round == 0) continue;  // warm-up
    products.push_back(one.product_s);
    beside.push_back(one.kernel_s);
  }
  return {.product_s = codecs::cuda::summarise(products, 0).median_s,
          .kernel_s = codecs::cuda::summarise(beside, 0).median_s};
}

std::vector<Beside> all_kernels(const Workspace& w, std::size_t bytes_per_block) {
  std::vector<Beside> kernels;
  for (const char* name : kCodecs) {
    const auto& codec = cuda_codec(name);
    const Scratch scratch = scratch_for(codec, w.elements);
    kernels.push_back(
        {"encode " + std::string(name), 0,
         [&w, &codec, scratch](std::size_t i, cudaStream_t stream) {
           codec.encode_async(
               codec.codec->format, {w.input.at(i), w.elements},
               {.wires = w.output.at(i), .key = key_of(0, 0), .scratch = scratch->get()}, stream);
         }});
  }
  for (const int blocks : kBlocks) {
    const std::size_t bytes = static_cast<std::size_t>(blocks) * bytes_per_block;
    kernels.push_back({"copy", blocks, [&w, blocks, bytes](std::size_t i, cudaStream_t stream) {
                         codecs::cuda::copy_async(w.wires.at(i), w.output.at(i), bytes, blocks,
                                                  stream);
                       }});
  }
  return kernels;
}

}  // namespace

Json measure_interference(Session& session, const Products& products, const LayerShapes& layers,
                          const Sizes& sizes) {
  // The MLP's first product of a model in the middle, over four sequences.
  const int hidden = layers.hidden[layers.hidden.size() / 2];
  const Product product{4 * layers.tokens, 4 * hidden, hidden, Pass::forward};
  const std::set<Product> all{product};
  const Operands operands(products.precision, all, codecs::cuda::l2_bytes());
  const Launch multiply = [&](std::size_t i, cudaStream_t stream) {
    operands.multiply(products, product, i, stream);
  };
  const std::size_t bytes = std::min(kCodecBytes, sizes.max_bytes);
  const std::size_t per_block = std::min(kBytesPerBlock, sizes.max_bytes);
  const Workspace w(bytes / sizeof(float),
                    std::max(wire_bytes(bytes / sizeof(float)), per_block * kBlocks[5]), 2);
  const std::vector<Beside> kernels = all_kernels(w, per_block);
  session.budget.expect(1 + kernels.size());
  const Rounds rounds = session.samples > kQuickSamples ? Rounds{} : Rounds{3, 1};
  const double product_s = time_of(session, multiply).median_s;
  Json rows = Json::array();
  for (const Beside& beside : kernels) {
    const double kernel_s = time_of(session, beside.launch).median_s;
    const Together together =
        median_together({multiply, product_s, beside.launch, kernel_s}, rounds);
    report(session,
           "product beside " + beside.kernel + ", " + std::to_string(beside.blocks) + " blocks",
           together.product_s, std::to_string(together.product_s / product_s) + "x");
    rows.push_back({{"kernel", beside.kernel},
                    {"blocks", beside.blocks},
                    {"m", product.m},
                    {"n", product.n},
                    {"k", product.k},
                    {"product_alone_s", product_s},
                    {"product_beside_s", together.product_s},
                    {"kernel_alone_s", kernel_s},
                    {"kernel_beside_s", together.kernel_s}});
  }
  return rows;
}

}  // namespace calibrate
