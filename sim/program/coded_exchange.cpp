// SPDX-License-Identifier: Apache-2.0
#include "sim/program/coded_exchange.hpp"

namespace sim {
namespace {

// Appends what each rank does to a buffer.
class CodedSteps {
 public:
  explicit CodedSteps(const CodedCollective& coded)
      : coded_(coded), exchange_{.elements = coded.elements} {}

  void encode(double elements) { launch(codecs::Operation::encode, elements, Phase::encode); }
  void decode(double elements) { launch(codecs::Operation::decode, elements, Phase::decode); }
  void sum(double elements) {
    exchange_.add(Kernel({.operation = codecs::Operation::decode_reduce,
                          .wire = coded_.wire,
                          .inputs = coded_.ranks,
                          .value_bytes = coded_.value_bytes,
                          .elements = elements},
                         Phase::decode));
  }
  void sum_and_encode(double elements) {
    exchange_.add(Kernel({.operation = codecs::Operation::decode_reduce_encode,
                          .wire = coded_.wire,
                          .wire_out = coded_.wire,
                          .inputs = coded_.ranks,
                          .elements = elements},
                         Phase::decode));
  }
  void send(CollectiveKind collective, double encoded) {
    exchange_.add(Transfer{.collective = collective,
                           .bytes = coded_bytes(coded_),
                           .wire = coded_.wire,
                           .encoded = encoded});
  }
  [[nodiscard]] Communication finish() && { return std::move(exchange_); }

 private:
  void launch(codecs::Operation operation, double elements, Phase phase) {
    exchange_.add(Kernel({.operation = operation,
                          .wire = coded_.wire,
                          .value_bytes = coded_.value_bytes,
                          .elements = elements},
                         phase));
  }

  const CodedCollective& coded_;
  Communication exchange_;
};

// A rank sends its whole buffer, and not a part of it to each rank.
bool sends_all(CollectiveKind collective) {
  return collective == CollectiveKind::broadcast || collective == CollectiveKind::send_receive;
}

}  // namespace

double coded_bytes(const CodedCollective& coded) {
  if (sends_all(coded.collective)) return coded.wire.bytes(coded.elements, 1);
  return coded.wire.bytes(coded.elements / coded.ranks, coded.ranks) * coded.ranks;
}

Communication coded_exchange(const CodedCollective& coded) {
  const double part = coded.elements / coded.ranks;
  CodedSteps steps(coded);
  if (coded.collective == CollectiveKind::all_gather) {
    steps.encode(part);
    steps.send(CollectiveKind::all_gather, part);
    steps.decode(coded.elements);
    return std::move(steps).finish();
  }
  steps.encode(coded.elements);
  if (sends_all(coded.collective)) {
    steps.send(coded.collective, coded.elements);
    steps.decode(coded.elements);
    return std::move(steps).finish();
  }
  steps.send(CollectiveKind::all_to_all, coded.elements);
  if (coded.collective == CollectiveKind::reduce_scatter) {
    steps.sum(part);
    return std::move(steps).finish();
  }
  if (coded.collective == CollectiveKind::all_reduce) {
    steps.sum_and_encode(part);
    steps.send(CollectiveKind::all_gather, part);
  }
  steps.decode(coded.elements);
  return std::move(steps).finish();
}

}  // namespace sim
