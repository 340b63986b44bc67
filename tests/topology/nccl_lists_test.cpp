// SPDX-License-Identifier: Apache-2.0
// Lists as in NCCL_ALGO and NCCL_PROTO: the examples of NCCL's own source mean what it says of them.
#include "sim/topology/nccl_lists.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace sim {
namespace {

constexpr NcclFunction kAllFunctions[] = {NcclFunction::broadcast, NcclFunction::reduce,
                                          NcclFunction::all_gather, NcclFunction::reduce_scatter,
                                          NcclFunction::all_reduce};

std::vector<std::string> enabled(std::string_view text, std::span<const std::string_view> names,
                                 NcclFunction function) {
  const NcclListText parsed = parse_nccl_list(text, names);
  EXPECT_TRUE(parsed.list.has_value()) << parsed.problem;
  std::vector<std::string> all;
  for (std::size_t i = 0; parsed.list && i < names.size(); ++i) {
    if (parsed.list->has(function, i)) all.emplace_back(names[i]);
  }
  return all;
}

using Names = std::vector<std::string>;

TEST(NcclLists, NamesWithoutACollectiveAreForAll) {
  for (const NcclFunction function : kAllFunctions) {
    EXPECT_EQ(enabled("Ring,NVLS_Tree", kNcclAlgorithms, function), (Names{"ring", "nvlstree"}));
    EXPECT_EQ(enabled("^LL", kNcclProtocols, function), (Names{"ll128", "simple"}));
  }
}

// The three examples beside parseList() in src/graph/tuning.cc.
TEST(NcclLists, LaterEntriesAreOfTheirCollectiveAlone) {
  const std::string_view algorithms =
      "ring,collnetdirect;allreduce:tree,collnetdirect;broadcast:ring";
  for (const NcclFunction function : kAllFunctions) {
    const bool sums = function == NcclFunction::all_reduce;
    EXPECT_EQ(enabled(algorithms, kNcclAlgorithms, function),
              sums                                  ? (Names{"tree", "collnetdirect"})
              : function == NcclFunction::broadcast ? (Names{"ring"})
                                                    : (Names{"ring", "collnetdirect"}));
    EXPECT_EQ(enabled("LL,Simple;allreduce:^LL", kNcclProtocols, function),
              sums ? (Names{"ll128", "simple"}) : (Names{"ll", "simple"}));
    EXPECT_EQ(enabled("^LL128;allreduce:LL128", kNcclProtocols, function),
              sums ? (Names{"ll128"}) : (Names{"ll", "simple"}));
    EXPECT_EQ(
        enabled("all_gather:ll", kNcclProtocols, function),
        function == NcclFunction::all_gather ? (Names{"ll"}) : (Names{"ll", "ll128", "simple"}));
  }
}

TEST(NcclLists, SayWhatIsWrong) {
  const auto problem = [](std::string_view text) {
    const NcclListText parsed = parse_nccl_list(text, kNcclAlgorithms);
    EXPECT_FALSE(parsed.list.has_value()) << text;
    return parsed.problem;
  };
  EXPECT_NE(problem("rign,tree").find("did you mean ring?"), std::string::npos);
  EXPECT_NE(problem("ring;alreduce:tree").find("did you mean allreduce?"), std::string::npos);
  EXPECT_NE(problem("ring;tree").find("names no collective"), std::string::npos);
  for (const char* text : {"ring,", "^", ";ring", "allreduce:", "ring,^tree"}) {
    EXPECT_FALSE(problem(text).empty()) << text;
  }
}

TEST(NcclLists, ASingleNameInThisProgramsSpellingIsNone) {
  for (const char* text : {"ring", "nvls_tree", "auto", "ll128"}) EXPECT_FALSE(is_nccl_list(text));
  for (const char* text : {"Ring", "nvlstree", "ring,tree", "^ring", "allreduce:ring", "a;b"}) {
    EXPECT_TRUE(is_nccl_list(text)) << text;
  }
}

}  // namespace
}  // namespace sim
