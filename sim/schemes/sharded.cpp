// Uncompressed sharded data parallelism, as Megatron's distributed optimizer does it: gradients are
// reduce-scattered in the precision of their buffer, weights gathered in BF16.
#include "sim/schemes/formats.hpp"
#include "sim/schemes/scheme.hpp"

namespace sim {

extern const Scheme sharded{
    .name = "sharded",
    .summary = "uncompressed: ring reduce_scatter of gradients, ring all_gather of BF16 weights",
    .weights = {.wire = formats::kBf16},
    .twin = "sharded"};

// BF16 on the wire halves the bytes of an FP32 reduction, and the sum stays in FP32.
extern const Scheme sharded_all_to_all{
    .name = "sharded_all_to_all",
    .summary = "gradients by all_to_all in BF16 with a local FP32 sum, ring all_gather of weights",
    .weights = {.wire = formats::kBf16},
    .gradients = {.algorithm = GradientExchange::Algorithm::all_to_all,
                  .inside = formats::kBf16,
                  .between = formats::kBf16},
    .twin = "sharded_all_to_all"};

}  // namespace sim
