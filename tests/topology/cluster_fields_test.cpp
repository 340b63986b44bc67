// SPDX-License-Identifier: Apache-2.0
// The rows of a cluster file, over all shipped clusters.
#include "sim/topology/cluster_fields.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "tests/shipped_files.hpp"

namespace {

using namespace sim;

template <class T>
std::string written_table(std::string_view name, std::span<const Field<T>> rows, const T& from,
                          const T& usual) {
  return fmt::format("[{}]\n{}", name, written_fields(rows, from, usual));
}

std::string written_cluster(const Cluster& c) {
  const Cluster usual = usual_cluster();
  return written_fields(file_fields(), c, usual) +
         written_table("cluster", cluster_fields(), c, usual) +
         written_table("gpu", gpu_fields(), c.gpu, usual.gpu) +
         written_table("nvlink", nvlink_fields(), c.nvlink, usual.nvlink) +
         written_table("network", network_fields(), c.network, usual.network) +
         written_table("collectives", collectives_fields(), c.collectives, usual.collectives) +
         written_table("host", host_fields(), c.host, usual.host) +
         written_table("fitted", fitted_fields(), c.fitted, usual.fitted);
}

TEST(ClusterFields, WriteEveryShippedClusterAsItIsRead) {
  for (const auto& file : shipped_files("topologies", ".toml")) {
    const Cluster cluster = read_cluster(file);
    const std::string text = written_cluster(cluster);
    Cluster read = parse_cluster(text, file);
    read.gpu.clock = cluster.gpu.clock;  // a limit of the power is written as the peaks it leaves
    EXPECT_TRUE(read == cluster) << text;
  }
}

TEST(ClusterFields, HaveExamplesThatAreReadAsTheyStand) {
  const Cluster usual = usual_cluster();
  const auto expect_read = [](std::string_view table, const auto& rows, auto into) {
    for (const auto& row : rows) {
      if (row.example.empty()) continue;
      const bool bare = row.example.find_first_not_of("0123456789.[], ") == row.example.npos;
      const std::string value = bare ? std::string(row.example) : toml_text(row.example);
      TomlReader reader(parse_toml(fmt::format("[{}]\n{} = {}\n", table, row.name, value), "x"));
      row.read(reader, dotted(table, row.name), row, into);
      EXPECT_NO_THROW(reader.finish()) << row.name << " = " << value;
    }
  };
  expect_read("cluster", cluster_fields(), usual);
  expect_read("gpu", gpu_fields(), usual.gpu);
  expect_read("nvlink", nvlink_fields(), usual.nvlink);
  expect_read("network", network_fields(), usual.network);
  expect_read("collectives", collectives_fields(), usual.collectives);
  expect_read("host", host_fields(), usual.host);
  expect_read("fitted", fitted_fields(), usual.fitted);
}

}  // namespace
