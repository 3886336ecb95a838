// Tests the IPUs that the environment names: lists of IPUs, and answers of a V-IPU server about a
// partition.
#include "engine/cluster_part.hpp"
#include "poplar/exceptions.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

namespace copse::engine {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

template <class Call> std::string reasonOf(const Call &call) {
  try {
    call();
  } catch (const poplar::no_environment &error) {
    return error.what();
  }
  return "";
}

TEST(IpuList, HasNumbersAndRangesInTheirOrder) {
  EXPECT_THAT(parseIpuList("5", 8), ElementsAre(5));
  EXPECT_THAT(parseIpuList("4-6,0", 8), ElementsAre(4, 5, 6, 0));
}

TEST(IpuList, IsRefusedWithTheReason) {
  for (const char *text : {"", ",", "1,", "-1", "1-", "3-2", "a", "1 2", "0x1", "99999999999"})
    EXPECT_THAT(reasonOf([&] { parseIpuList(text, 8); }), HasSubstr("such as 0,4-7")) << text;
  EXPECT_THAT(reasonOf([] { parseIpuList("0-8", 8); }), HasSubstr("the cluster has no IPU 8"));
  EXPECT_THAT(reasonOf([] { parseIpuList("0-4294967295", 8); }), HasSubstr("no IPU 4294967295"));
  EXPECT_THAT(reasonOf([] { parseIpuList("1,0-1", 8); }), HasSubstr("names an IPU twice"));
}

std::string partition(const std::string &ipus, const std::string &all,
                      const std::string &reconfigurable = "false") {
  std::string nodes;
  for (const char *node : {"a", "b"})
    nodes += std::string(nodes.empty() ? "" : ",") + R"({"control": "ipc:///)" + node +
             R"(c", "link": "ipc:///)" + node + R"(l", "sync": "ipc:///)" + node + R"(s"})";
  return R"({"partition": "p", "gcd": 0, "reconfigurable": )" + reconfigurable + R"(, "ipus": )" +
         ipus + R"(, "partitionIpus": )" + all + R"(, "cluster": {"ipus": [)" + nodes + "]}}";
}

TEST(PartitionText, NamesTheIpusOfTheProgramAndOfItsJob) {
  const ClusterPart part = parsePartition(partition("[1]", "[0, 1]"), "server");
  EXPECT_THAT(part.ipus, ElementsAre(1));
  EXPECT_THAT(part.partition, ElementsAre(0, 1));
  EXPECT_EQ(part.name, "p");
  EXPECT_EQ(part.gcd, 0U);
  EXPECT_FALSE(part.reconfigurable);
  EXPECT_EQ(part.cluster.ipus.at(1).control.address, "ipc:///bc");
}

TEST(PartitionText, IsRefusedWithItsSourceIfItIsInvalid) {
  const std::string good = partition("[1]", "[0, 1]");
  for (std::size_t end = 0; end < good.size(); ++end)
    EXPECT_THAT(reasonOf([&] { parsePartition(good.substr(0, end), "server"); }),
                HasSubstr("server: "))
        << end;
  for (const auto &[ipus, all] : {std::pair("[2]", "[0, 1]"),
                                  {"[]", "[0, 1]"},
                                  {"[-1]", "[0]"},
                                  {"[0, 0]", "[0]"},
                                  {"[0]", "[1]"},
                                  {"\"0\"", "[0]"},
                                  {"[0.5]", "[0]"},
                                  {"[[0]]", "[0]"},
                                  {"[0]", "{}"}})
    EXPECT_THAT(reasonOf([&] { parsePartition(partition(ipus, all), "server"); }),
                HasSubstr("server: "))
        << ipus << ' ' << all;
  EXPECT_THAT(reasonOf([] { parsePartition(partition("[0]", "[0]", "1"), "server"); }),
              HasSubstr("'reconfigurable' true or false"));
}

} // namespace
} // namespace copse::engine
