// SPDX-License-Identifier: Apache-2.0
#include "sim/program/interleave.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

namespace sim {
namespace {

using Instructions = std::vector<Instruction>;

// What a pass does up to where it waits for an exchange, and that exchange.
struct Piece {
  Instructions kernels, exchanges;
};

class Pieces {
 public:
  Pieces(const Program& program, Instructions pass) : program_(program) {
    for (Instruction& one : pass) {
      if (is_wait(one)) {
        close();
      } else {
        open_.push_back(std::move(one));
      }
    }
    if (!open_.empty()) pieces_.push_back({.kernels = std::move(open_), .exchanges = {}});
  }

  [[nodiscard]] std::vector<Piece> take() && { return std::move(pieces_); }

 private:
  [[nodiscard]] bool is_wait(const Instruction& one) const {
    const auto* hold = std::get_if<Hold>(&one.what);
    return hold != nullptr && hold->streams == program_.block_streams;
  }
  [[nodiscard]] bool is_exchange(const Instruction& one) const {
    const auto* what = std::get_if<Communicate>(&one.what);
    return what != nullptr && program_.communications[what->communication].axis != nullptr;
  }

  // Where nothing is exchanged there is nothing to wait for.
  void close() {
    const auto last = std::find_if(open_.rbegin(), open_.rend(),
                                   [&](const Instruction& one) { return is_exchange(one); });
    if (last == open_.rend()) return;
    const auto first = std::find_if_not(last, open_.rend(),
                                        [&](const Instruction& one) { return is_exchange(one); });
    Piece piece;
    std::move(open_.begin(), first.base(), std::back_inserter(piece.kernels));
    std::move(first.base(), last.base(), std::back_inserter(piece.exchanges));
    std::move(last.base(), open_.end(), std::back_inserter(piece.kernels));
    pieces_.push_back(std::move(piece));
    open_.clear();
  }

  const Program& program_;
  std::vector<Piece> pieces_;
  Instructions open_;
};

}  // namespace

Instructions interleaved(const Program& program, Instructions first, Instructions second) {
  const int stage = first.front().stage, period = first.front().period;
  std::vector<Piece> passes[] = {Pieces(program, std::move(first)).take(),
                                 Pieces(program, std::move(second)).take()};
  std::size_t next[] = {0, 0};
  Instructions all;
  const auto append = [&](Instructions& more) {
    std::move(more.begin(), more.end(), std::back_inserter(all));
  };
  bool waits = false;  // for the exchange that was begun last
  for (int turn = 0; next[0] < passes[0].size() || next[1] < passes[1].size(); turn = 1 - turn) {
    if (next[turn] == passes[turn].size()) turn = 1 - turn;
    Piece& piece = passes[turn][next[turn]++];
    const bool follows_itself = next[1 - turn] == passes[1 - turn].size() && next[turn] > 1;
    if (waits && follows_itself) all.push_back({stage, Hold{program.block_streams}, period});
    append(piece.kernels);
    if (waits && !follows_itself) all.push_back({stage, Hold{program.block_streams}, period});
    waits = !piece.exchanges.empty();
    append(piece.exchanges);
  }
  if (waits) all.push_back({stage, Hold{program.block_streams}, period});
  return all;
}

}  // namespace sim
