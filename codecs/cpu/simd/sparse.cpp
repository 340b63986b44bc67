// SPDX-License-Identifier: Apache-2.0
// Sparse wires, chunk by chunk: what is read and written, their values, sums and averages.
HWY_BEFORE_NAMESPACE();
namespace codecs::cpu::HWY_NAMESPACE {
namespace {

// Numbers of `bits` bits each, lowest first, from 4-byte words on.
void pack(const std::uint32_t* numbers, std::size_t count, std::size_t bits, std::byte* to) {
  std::uint64_t held = 0;
  std::size_t filled = 0;
  for (std::size_t i = 0; i < count; ++i) {
    held |= std::uint64_t{numbers[i]} << filled;
    filled += bits;
    for (; filled >= 32; filled -= 32, held >>= 32, to += 4) std::memcpy(to, &held, 4);
  }
  std::memcpy(to, &held, (filled + 7) / 8);
}

void unpack(const std::byte* from, std::size_t count, std::size_t bits, std::uint32_t* numbers) {
  const std::uint64_t mask = (std::uint64_t{1} << bits) - 1;
  std::uint64_t held = 0;
  std::size_t filled = 0;
  for (std::size_t i = 0; i < count; ++i) {
    if (filled < bits) {
      std::uint32_t word = 0;
      std::memcpy(&word, from, 4);
      from += 4;
      held |= std::uint64_t{word} << filled;
      filled += 32;
    }
    numbers[i] = static_cast<std::uint32_t>(held & mask);
    held >>= bits;
    filled -= bits;
  }
}

std::size_t code_bits(const Format& format) {
  return static_cast<std::size_t>(codecs::bits_of(format.element));
}
std::size_t indices_at(const SparseWire& layout, std::size_t chunk) {
  return layout.indices + chunk * layout.index_words * sizeof(std::uint32_t);
}
std::size_t codes_at(const SparseWire& layout, std::size_t chunk) {
  return layout.codes + chunk * layout.code_words * sizeof(std::uint32_t);
}
std::size_t scales_at(const SparseWire& layout, std::size_t chunk) {
  return layout.scales + chunk * layout.scale_words * sizeof(float);
}

// One chunk's numbers, and how many there are.
struct Record {
  std::size_t count = 0;
  std::uint32_t indices[kLargestChunk];
  std::uint32_t codes[kLargestChunk];
};

void read_record(const Format& format, const SparseWire& layout, std::size_t chunk,
                 const std::byte* wire, Record& record) {
  record.count = kept(format, chunk_elements(format, layout, chunk));
  unpack(wire + indices_at(layout, chunk), record.count, layout.index_bits, record.indices);
  unpack(wire + codes_at(layout, chunk), record.count, code_bits(format), record.codes);
}

// Terms i, i + 32 ... in a lane each; then the upper half of the lanes is added to the lower.
class LaneSum {
 public:
  void add(std::size_t index, double term) { lanes_[index % kChunkLanes] += term; }
  [[nodiscard]] double total() {
    for (std::size_t half = kChunkLanes / 2; half > 0; half /= 2) {
      for (std::size_t i = 0; i < half; ++i) lanes_[i] += lanes_[i + half];
    }
    return lanes_[0];
  }

 private:
  double lanes_[kChunkLanes] = {};
};

float mean_of(double sum, double count) {
  if (!std::isfinite(sum)) return std::bit_cast<float>(kNaNScale);
  return count > 0 ? static_cast<float>(sum / count) : 0.0f;
}

// What codes stand for: the tensor's codebook, or the magnitudes of a chunk.
struct Meaning {
  Element element = Element::fp32;
  Codebook book = {};
  float threshold = 0;
  float low = 0;
  float high = 0;

  [[nodiscard]] float value(std::uint32_t code) const {
    const float sign = (code & 1u) != 0 ? -1.0f : 1.0f;
    switch (element) {
      case Element::codebook2:
        return book.values[code] + book.shift;
      case Element::sign:
        return sign * low;
      case Element::sign_magnitude2:
        return sign * (code >= 2 ? high : low);
      default:
        return std::bit_cast<float>(code);
    }
  }
  // Of all elements but codebook2.
  [[nodiscard]] std::uint32_t code(float value) const {
    if (element == Element::fp32) {
      return std::isnan(value) ? kNaNScale : std::bit_cast<std::uint32_t>(value);
    }
    const bool larger = element == Element::sign_magnitude2 && std::abs(value) >= threshold;
    return (value < 0 ? 1u : 0u) | (larger ? 2u : 0u);
  }
};

Meaning measured(Element element, const float* values, std::size_t count) {
  Meaning meaning{.element = element};
  if (element == Element::fp32) return meaning;
  LaneSum sum;
  for (std::size_t i = 0; i < count; ++i) sum.add(i, std::abs(double{values[i]}));
  const float all = mean_of(sum.total(), static_cast<double>(count));
  meaning.threshold = meaning.low = meaning.high = all;
  if (element == Element::sign || std::isnan(all)) return meaning;
  LaneSum sums[2];
  double members[2] = {};
  for (std::size_t i = 0; i < count; ++i) {
    const double magnitude = std::abs(double{values[i]});
    const std::size_t upper = magnitude >= all ? 1 : 0;
    sums[upper].add(i, magnitude);
    members[upper] += 1;
  }
  meaning.low = mean_of(sums[0].total(), members[0]);
  meaning.high = mean_of(sums[1].total(), members[1]);
  return meaning;
}

Meaning stored(const Format& format, const SparseWire& layout, std::size_t chunk,
               const std::byte* wire) {
  Meaning meaning{.element = format.element};
  if (format.element == Element::codebook2) meaning.book = load_codebook({wire, sizeof(Codebook)});
  const std::byte* const at = wire + scales_at(layout, chunk);
  if (layout.scale_words > 0) std::memcpy(&meaning.low, at, sizeof(float));
  if (layout.scale_words > 1) std::memcpy(&meaning.high, at + sizeof(float), sizeof(float));
  return meaning;
}

// Residuals of what the record says was sent.
void keep_selected(const SparseJob& job, std::size_t chunk, const Record& record,
                   const Meaning& meaning) {
  if (job.input.residual == nullptr) return;
  float* const residual = job.input.residual + chunk * job.format.group;
  const float* const sent = job.selected + chunk * job.format.keep;
  for (std::size_t i = 0; i < record.count; ++i) {
    float& own = residual[record.indices[i]];
    // A decoded value is a sum from 0: -0 becomes 0.
    const float decoded = 0.0f + meaning.value(record.codes[i]);
    own = residual_after(*job.input.feedback, own, sent[i], decoded);
  }
}

// Scales, codes and residuals of a chunk that needs nothing of the others.
void finish_chunk(const SparseJob& job, std::size_t chunk, Record& record) {
  const float* const selected = job.selected + chunk * job.format.keep;
  const Meaning meaning = measured(job.format.element, selected, record.count);
  std::byte* const at = job.wire + scales_at(job.layout, chunk);
  if (job.layout.scale_words > 0) std::memcpy(at, &meaning.low, sizeof(float));
  if (job.layout.scale_words > 1) std::memcpy(at + sizeof(float), &meaning.high, sizeof(float));
  for (std::size_t i = 0; i < record.count; ++i) record.codes[i] = meaning.code(selected[i]);
  pack(record.codes, record.count, code_bits(job.format), job.wire + codes_at(job.layout, chunk));
  keep_selected(job, chunk, record, meaning);
}

// Residuals of a chunk as if nothing of it were sent, but those of what is.
void keep_unsent(const SparseJob& job, std::size_t first, std::size_t count, const float* sent,
                 const Record& record) {
  if (job.input.residual == nullptr) return;
  float* const residual = job.input.residual + first;
  float before[kLargestChunk];
  for (std::size_t i = 0; i < record.count; ++i) before[i] = residual[record.indices[i]];
  const Feedback& rule = *job.input.feedback;
  std::size_t i = 0;
  for (; i + kLanes <= count; i += kLanes) {
    store(residual_of(rule, load(residual + i), load(sent + i), hn::Zero(Floats())), residual + i);
  }
  for (; i < count; ++i) residual[i] = residual_after(rule, residual[i], sent[i], 0.0f);
  for (i = 0; i < record.count; ++i) residual[record.indices[i]] = before[i];
}

void select_chunks(const SparseJob& job, std::size_t first, std::size_t last) {
  HWY_ALIGN float buffer[kLargestChunk];
  Record record;
  for (std::size_t chunk = first; chunk < last; ++chunk) {
    const std::size_t begin = chunk * job.format.group;
    const std::size_t count = chunk_elements(job.format, job.layout, chunk);
    const float* const sent = sent_part(job.input, begin, count, count, buffer);
    record.count = kept(job.format, count);
    select_part(sent, count, record.count, record.indices);
    pack(record.indices, record.count, job.layout.index_bits,
         job.wire + indices_at(job.layout, chunk));
    float* const selected = job.selected + chunk * job.format.keep;
    for (std::size_t i = 0; i < record.count; ++i) selected[i] = sent[record.indices[i]];
    keep_unsent(job, begin, count, sent, record);
    if (job.format.element != Element::codebook2) {
      finish_chunk(job, chunk, record);
      continue;
    }
    LaneSum values, squares;
    for (std::size_t i = 0; i < record.count; ++i) {
      const double value = selected[i];
      values.add(i, value);
      squares.add(i, value * value);
    }
    job.sums[chunk] = {.values = values.total(), .squares = squares.total()};
  }
}

std::uint32_t codebook_code(const Codebook& book, float value) {
  const float place = std::rint((value - book.shift) / book.scale + 2.0f);
  if (place >= 3) return 3;
  if (place >= 2) return 2;
  return place >= 1 ? 1 : 0;  // NaN: 0
}

void code_chunks(const SparseJob& job, const Codebook& book, std::size_t first, std::size_t last) {
  std::uint32_t codes[kLargestChunk];
  for (std::size_t chunk = first; chunk < last; ++chunk) {
    const float* const selected = job.selected + chunk * job.format.keep;
    const std::size_t count = kept(job.format, chunk_elements(job.format, job.layout, chunk));
    ChunkSums& sums = job.sums[chunk];
    LaneSum totals[kBins];
    for (std::size_t i = 0; i < count; ++i) {
      codes[i] = codebook_code(book, selected[i]);
      totals[codes[i]].add(i, double{selected[i] - book.shift});
      sums.members[codes[i]] += 1;
    }
    for (std::size_t bin = 0; bin < kBins; ++bin) sums.totals[bin] = totals[bin].total();
    pack(codes, count, code_bits(job.format), job.wire + codes_at(job.layout, chunk));
  }
}

// Residuals have left the cache since their chunk was read.
void prefetch_residuals(const SparseJob& job, std::size_t chunk) {
  std::uint32_t indices[kLargestChunk];
  const std::size_t count = kept(job.format, chunk_elements(job.format, job.layout, chunk));
  unpack(job.wire + indices_at(job.layout, chunk), count, job.layout.index_bits, indices);
  const float* const residual = job.input.residual + chunk * job.format.group;
  for (std::size_t i = 0; i < count; ++i) hwy::Prefetch(residual + indices[i]);
}

void keep_chunks(const SparseJob& job, const Codebook& book, std::size_t first, std::size_t last) {
  constexpr std::size_t kAhead = 2;
  Record record;
  const Meaning meaning{.element = Element::codebook2, .book = book};
  for (std::size_t chunk = first; chunk < last; ++chunk) {
    if (chunk + kAhead < last) prefetch_residuals(job, chunk + kAhead);
    read_record(job.format, job.layout, chunk, job.wire, record);
    keep_selected(job, chunk, record, meaning);
  }
}

// Calls add(index, value) for the entries of one chunk of a wire. Of a wire that no encoder wrote,
// indices may be beyond the chunk's elements: these are left out.
template <typename Add>
void for_each_entry(const SparseSum& job, std::size_t chunk, std::size_t input, Record& record,
                    const Add& add) {
  const std::byte* const wire = job.wires + input * job.layout.bytes;
  const Meaning meaning = stored(job.format, job.layout, chunk, wire);
  const std::size_t count = chunk_elements(job.format, job.layout, chunk);
  read_record(job.format, job.layout, chunk, wire, record);
  for (std::size_t i = 0; i < record.count; ++i) {
    if (record.indices[i] < count) add(record.indices[i], meaning.value(record.codes[i]));
  }
}

void sum_chunks(const SparseSum& job, std::size_t first, std::size_t last) {
  Record record;
  for (std::size_t chunk = first; chunk < last; ++chunk) {
    float* const sums = job.sums + chunk * job.format.group;
    const std::size_t count = chunk_elements(job.format, job.layout, chunk);
    if (job.adds) {
      for (std::size_t i = 0; i < count; ++i) sums[i] += 0.0f;  // what is not sent: -0 becomes 0
    } else {
      std::memset(sums, 0, count * sizeof(float));
    }
    for (std::size_t input = 0; input < job.inputs; ++input) {
      for_each_entry(job, chunk, input, record,
                     [&](std::size_t at, float value) { sums[at] += value; });
    }
  }
}

void square_chunks(const SparseSum& job, double* squares, std::size_t first, std::size_t last) {
  Record record;
  for (std::size_t chunk = first; chunk < last; ++chunk) {
    const Meaning meaning = stored(job.format, job.layout, chunk, job.wires);
    read_record(job.format, job.layout, chunk, job.wires, record);
    LaneSum sum;
    for (std::size_t i = 0; i < record.count; ++i) {
      const double value = meaning.value(record.codes[i]);
      sum.add(i, value * value);
    }
    squares[chunk] = sum.total();
  }
}

void aggregate_chunks(const SparseAggregate& job, std::size_t first, std::size_t last) {
  Record record;
  HWY_ALIGN float senders[kLargestChunk];
  for (std::size_t chunk = first; chunk < last; ++chunk) {
    float* const averages = job.sum.sums + chunk * job.sum.format.group;
    const std::size_t count = chunk_elements(job.sum.format, job.sum.layout, chunk);
    std::memset(averages, 0, count * sizeof(float));
    std::memset(senders, 0, count * sizeof(float));
    for (std::size_t peer = 0; peer < job.sum.inputs; ++peer) {
      if (job.factors[peer] < 0) continue;
      for_each_entry(job.sum, chunk, peer, record, [&](std::size_t at, float value) {
        averages[at] = std::fma(job.factors[peer], value, averages[at]);
        senders[at] += 1;
      });
    }
    for (std::size_t i = 0; i < count; ++i) {
      const float over = job.average == Average::senders ? senders[i] : job.all;
      averages[i] = senders[i] > 0 ? averages[i] / over : 0.0f;
    }
  }
}

}  // namespace
}  // namespace codecs::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
