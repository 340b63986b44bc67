// SPDX-License-Identifier: Apache-2.0
// Threads that call the library at the same time, from its first call on, each with threads of the
// library's own: all get the same bytes. Compiled with a sanitizer, which must find nothing: memory of
// exactly the size that a call needs is on the heap.
#include <gardenhose_codecs.h>

#include <cstdio>
#include <thread>
#include <vector>

namespace {

constexpr std::size_t kElements = 4999, kInputs = 2, kCallers = 3;

std::vector<float> ramp(float step) {
  std::vector<float> values(kElements);
  for (std::size_t i = 0; i < kElements; ++i) {
    values[i] = step * static_cast<float>(static_cast<int>(i * 7919 % 2003) - 1001);
  }
  return values;
}

// What the calls of one caller wrote, and whether all of them succeeded.
struct Results {
  bool failed = false;
  std::vector<unsigned char> wires;
  std::vector<float> residual, sums;
  bool operator==(const Results&) const = default;
};

void work(const char* codec, const std::vector<float>& values, int threads, Results& all) {
  const gardenhose_random_key key{1, 2, 3, 4, 0};
  const gardenhose_feedback rule{1, 0.9f, 0, 1};
  std::size_t bytes = 0;
  all.failed |= gardenhose_encoded_bytes(codec, kElements, &bytes) != GARDENHOSE_OK;
  std::vector<unsigned char> wire(bytes);
  std::vector<float> residual = ramp(0.25f), back(kElements), sums(kElements);
  const auto expect = [&](gardenhose_status status) { all.failed |= status != GARDENHOSE_OK; };
  expect(gardenhose_encode(codec, values.data(), kElements, &key, wire.data(), bytes, threads));
  all.wires.insert(all.wires.end(), wire.begin(), wire.end());
  expect(gardenhose_decode(codec, wire.data(), bytes, back.data(), kElements, threads));
  expect(gardenhose_encode_feedback(codec, &rule, values.data(), kElements, &key, residual.data(),
                                    wire.data(), bytes, threads));
  all.wires.insert(all.wires.end(), wire.begin(), wire.end());
  expect(gardenhose_decode_add(codec, wire.data(), bytes, back.data(), kElements, threads));
  std::vector<unsigned char> wires = wire;
  wires.insert(wires.end(), wire.begin(), wire.end());
  const gardenhose_status summed = gardenhose_decode_reduce(
      codec, wires.data(), wires.size(), kInputs, sums.data(), kElements, threads);
  all.failed |= summed != GARDENHOSE_OK && summed != GARDENHOSE_UNSUPPORTED;
  all.residual.insert(all.residual.end(), residual.begin(), residual.end());
  // A wire of indices that the tensor does not have: what it decodes to does not matter.
  std::vector<float> garbage(kElements);
  wires.assign(wires.size(), 0xFF);
  expect(gardenhose_decode(codec, wires.data(), bytes, garbage.data(), kElements, threads));
  expect(gardenhose_decode_add(codec, wires.data(), bytes, garbage.data(), kElements, threads));
  all.failed |= gardenhose_decode_reduce(codec, wires.data(), wires.size(), kInputs, garbage.data(),
                                         kElements, threads) != summed;
  for (const auto* floats : {&back, &sums}) {
    all.sums.insert(all.sums.end(), floats->begin(), floats->end());
  }
}

}  // namespace

int main() {
  const std::vector<float> values = ramp(1.0f / 1024);
  std::vector<Results> results(kCallers);
  {
    std::vector<std::jthread> callers;
    for (std::size_t caller = 0; caller < kCallers; ++caller) {
      callers.emplace_back([&, caller] {
        for (std::size_t i = 0; gardenhose_codec_name(i) != nullptr; ++i) {
          work(gardenhose_codec_name(i), values, static_cast<int>(caller) + 1, results[caller]);
        }
      });
    }
  }
  for (const Results& one : results) {
    if (one.failed || one != results.front()) {
      std::fputs("a call failed, or gave other bytes than the same call beside it\n", stderr);
      return 1;
    }
  }
  return 0;
}
