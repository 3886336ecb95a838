#include "cluster/cluster.hpp"
#include "growth.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>
#include <string>

namespace copse::cluster {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::StartsWith;
using wire::Code;

/// Returns a file of two IPUs in which one line is replaced.
std::string fileWith(int line, const std::string &text) {
  std::vector<std::string> lines{
      R"({)",
      R"(  "topology": "torus",)",
      R"(  "leaseMs": 2000,)",
      R"(  "ipus": [)",
      R"(    {"control": "tcp://ipu-0:7100", "link": "tcp://ipu-0:7101", "sync": "tcp://ipu-0:7102"},)",
      R"(    {)",
      R"(      "control": "tcp://10.0.0.2:7100",)",
      R"(      "link": "tcp://10.0.0.2:7101",)",
      R"(      "sync": "tcp://10.0.0.2:7102",)",
      R"(      "bind": "0.0.0.0",)",
      R"(      "metrics": "0.0.0.0:9472")",
      R"(    })",
      R"(  ],)",
      R"(  "rbufd": {"endpoint": "tcp://localhost:7471", "directory": "/rows"})",
      R"(})"};
  if (line > 0)
    lines.at(static_cast<std::size_t>(line) - 1) = text;
  std::string file;
  for (const std::string &one : lines)
    file += one + "\n";
  return file;
}

TEST(ClusterFile, HasTheEndpointAndAddressOfEachDaemon) {
  const auto cluster = parseCluster(fileWith(0, ""), "lab.json");
  ASSERT_TRUE(cluster.ok()) << cluster.status().message;
  EXPECT_EQ(cluster->file, "lab.json");
  EXPECT_EQ(cluster->topology, wire::Topology::Torus);
  EXPECT_EQ(cluster->lease, std::chrono::milliseconds(2000));
  ASSERT_EQ(cluster->ipus.size(), 2U);
  // A name can stand for any interface; an address means one interface, unless the file says
  // otherwise.
  EXPECT_EQ(cluster->ipus[0].link, (ClusterEndpoint{"tcp://ipu-0:7101", "tcp://0.0.0.0:7101"}));
  EXPECT_EQ(cluster->ipus[1].sync, (ClusterEndpoint{"tcp://10.0.0.2:7102", "tcp://0.0.0.0:7102"}));
  EXPECT_EQ(cluster->ipus[1].metrics, "0.0.0.0:9472");
  ASSERT_TRUE(cluster->rbufd.has_value());
  EXPECT_EQ(cluster->rbufd->endpoint.listen, "tcp://127.0.0.1:7471");
  EXPECT_EQ(cluster->rbufd->directory, "/rows");
}

TEST(ClusterFile, SurvivesWritingAndReading) {
  for (
      const char *text :
      {R"({"ipus": [{"control": "ipc:///run/c", "link": "ipc:///run/l", "sync": "ipc:///run/s"}]})",
       R"({"pod": "pod16",
            "ipus": [{"control": "tcp://[::1]:1", "link": "tcp://[::1]:2", "sync": "tcp://[::1]:3"}],
            "rbufd": {"endpoint": "tcp://rbufd:9", "bind": "10.0.0.1", "metrics": "rbufd:8"}})"}) {
    const auto first = parseCluster(text, "f");
    ASSERT_TRUE(first.ok()) << first.status().message;
    const auto second = parseCluster(formatCluster(*first), "f");
    ASSERT_TRUE(second.ok()) << second.status().message;
    EXPECT_EQ(second->ipus, first->ipus);
    EXPECT_EQ(second->rbufd, first->rbufd);
    EXPECT_EQ(second->topology, first->topology);
    EXPECT_EQ(second->pod, first->pod);
    EXPECT_EQ(second->lease, first->lease);
  }
}

TEST(ClusterFile, InTheConfigsFolderIsRead) {
  const auto cluster = readCluster(COPSE_CONFIGS "/cluster.json");
  ASSERT_TRUE(cluster.ok()) << cluster.status().message;
  EXPECT_EQ(cluster->ipus.size(), 4U);
}

struct Mistake {
  const char *name;
  int line; ///< line of the file, which the message must name
  const char *text, *part;
};

class ClusterMistakes : public ::testing::TestWithParam<Mistake> {};

TEST_P(ClusterMistakes, AreNamedWithTheirLine) {
  const auto &[name, line, text, part] = GetParam();
  const auto status = parseCluster(fileWith(line, text), "lab.json").status();
  EXPECT_EQ(status.code, Code::InvalidOption);
  EXPECT_THAT(status.message,
              AllOf(StartsWith("cluster file lab.json, line " + std::to_string(line) + ": "),
                    HasSubstr(part)));
}

INSTANTIATE_TEST_SUITE_P(
    Of, ClusterMistakes,
    ::testing::Values(
        Mistake{"AComma", 3, R"(  "leaseMs": 2000 "ipus")", "comma"},
        Mistake{"AnUnknownKey", 2, R"(  "topologie": "torus",)",
                "topologie is unknown; known keys are: topology"},
        Mistake{"AnUnknownTopology", 2, R"(  "topology": "ring",)", R"(write "mesh" or "torus")"},
        Mistake{"ANumberForText", 2, R"(  "topology": 3,)", "topology is not a text"},
        Mistake{"ATextForANumber", 3, R"(  "leaseMs": "2 s",)", "leaseMs is no number from 100"},
        Mistake{"AShortLease", 3, R"(  "leaseMs": 1,)", "leaseMs"},
        Mistake{"AKeyTwice", 3, R"(  "topology": "mesh",)", "'topology' appears twice"},
        Mistake{"NoPort", 7, R"(      "control": "tcp://10.0.0.2",)", "ipus[1].control"},
        Mistake{"AWildcard", 7, R"(      "control": "tcp://10.0.0.2:*",)",
                "a port from 1 to 65535"},
        Mistake{"AWrongHost", 8, R"(      "link": "tcp://ipu 1:7101",)", "ipus[1].link"},
        Mistake{"AnotherScheme", 8, R"(      "link": "udp://a:7101",)",
                "tcp://HOST:PORT, ipc:///path or shm:///path"},
        Mistake{"ARelativePath", 8, R"(      "link": "ipc://link",)", "absolute path"},
        Mistake{"AnEndpointTwice", 9, R"(      "sync": "tcp://ipu-0:7102",)",
                "ipus[0].sync on line 5 already"},
        Mistake{"AWrongBind", 10, R"(      "bind": "eth0",)", "address of an interface"},
        Mistake{"WrongMetrics", 11, R"(      "metrics": "9472")", "ADDRESS:PORT"},
        Mistake{"ABracket", 13, R"(  },)", "bracket"},
        Mistake{"AnRbufdWithoutEndpoint", 14, R"(  "rbufd": {"directory": "/rows"})",
                "rbufd.endpoint is missing"},
        Mistake{"AListForAnObject", 14, R"(  "rbufd": [])", "rbufd is not an object"}),
    [](const auto &mistake) { return mistake.param.name; });

TEST(ClusterFile, MustHaveAValidNumberOfIpus) {
  const std::string ipu =
      R"({"control": "tcp://h:1N", "link": "tcp://h:2N", "sync": "tcp://h:3N"})";
  const auto of = [&](int count) {
    std::string file = "{\"ipus\": [";
    for (int i = 0; i < count; ++i) {
      std::string one = ipu;
      for (auto at = one.find('N'); at != std::string::npos; at = one.find('N'))
        one.replace(at, 1, std::to_string(100 + i));
      file += (i > 0 ? "," : "") + one;
    }
    return parseCluster(file + "]}", "f").status();
  };
  for (const int good : {1, 2, 6, 256})
    EXPECT_TRUE(of(good).ok()) << good << ": " << of(good).message;
  for (const int bad : {0, 3, 258})
    EXPECT_THAT(of(bad).message, HasSubstr("ipus has " + std::to_string(bad) + " entries")) << bad;
}

/// Each name was once compared with all others.
TEST(ClusterFile, TakesTimeInProportionToItsHosts) {
  const auto read = [](std::size_t count) {
    std::string hosts;
    for (std::size_t i = 0; i < count; ++i)
      hosts += (i == 0 ? "\"h" : ", \"h") + std::to_string(i) + "\"";
    return [count, file = fileWith(3, "\"hosts\": [" + hosts + "],")] {
      const auto cluster = parseCluster(file, "many.json");
      ASSERT_TRUE(cluster.ok()) << cluster.status().message;
      EXPECT_EQ(cluster->hosts.size(), count);
    };
  };
  EXPECT_LT(copse::test::growthPerElement(read, 100'000), copse::test::kMostGrowth);
}

TEST(ClusterFile, MixesNoTransports) {
  const auto status =
      parseCluster(
          R"({"ipus": [{"control": "tcp://h:1", "link": "tcp://h:2", "sync": "ipc:///s"}]})", "f")
          .status();
  EXPECT_THAT(status.message, HasSubstr("mixes tcp and ipc"));
}

TEST(ClusterFile, IsNamedIfItIsMissing) {
  EXPECT_THAT(readCluster("/no/such/file").status().message,
              AllOf(HasSubstr("/no/such/file"), HasSubstr("cannot be read")));
}

TEST(ClusterFile, SurvivesAnyText) {
  const std::string good = fileWith(0, "");
  std::mt19937 random(5);
  for (int round = 0; round < 5'000; ++round) {
    std::string text = good;
    for (std::uint32_t flips = 1 + random() % 4; flips > 0; --flips)
      text[random() % text.size()] = static_cast<char>(random());
    text.resize(text.size() - random() % 2 * (random() % text.size()));
    const auto cluster = parseCluster(text, "f");
    if (!cluster) {
      EXPECT_THAT(cluster.status().message, HasSubstr("line ")) << text;
    }
  }
  EXPECT_THAT(parseCluster(std::string(100'000, '['), "f").status().message, HasSubstr("deeply"));
}

} // namespace
} // namespace copse::cluster
