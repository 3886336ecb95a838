// Tests a cluster whose daemons listen at addresses of IPv6: sessions, links, sync points, remote
// buffers and metrics.
#include "cluster_nodes.hpp"
#include "scrape.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <arpa/inet.h>
#include <netinet/in.h>
#include <nlohmann/json.hpp>
#include <sys/socket.h>
#include <unistd.h>

namespace copse::test {
namespace {

using namespace std::chrono_literals;
using nlohmann::ordered_json;
using ::testing::HasSubstr;

/// Returns a free port of IPv6 loopback; 0 if there is no such loopback.
unsigned freePort() {
  const int socket = ::socket(AF_INET6, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in6 address{};
  address.sin6_family = AF_INET6;
  address.sin6_addr = in6addr_loopback;
  socklen_t size = sizeof address;
  auto *const any = reinterpret_cast<sockaddr *>(&address);
  const bool done = ::bind(socket, any, size) == 0 && ::getsockname(socket, any, &size) == 0;
  ::close(socket);
  return done ? ntohs(address.sin6_port) : 0;
}

class Ipv6Cluster : public ::testing::Test {
protected:
  void SetUp() override {
    if (freePort() == 0)
      GTEST_SKIP() << "this machine has no loopback of IPv6";
  }

  /// Writes the cluster file of two IPUs and an rbufd.
  /// \param bind  address of the interface to listen at; empty: the endpoints' addresses
  void describe(const std::string &bind, bool withKeys) {
    const auto place = [] { return "[::1]:" + std::to_string(freePort()); };
    ordered_json file{{"topology", "mesh"}, {"ipus", ordered_json::array()}};
    for (int ipu = 0; ipu < 2; ++ipu)
      file["ipus"].push_back({{"control", "tcp://" + place()},
                              {"link", "tcp://" + place()},
                              {"sync", "tcp://" + place()},
                              {"metrics", place()}});
    file["rbufd"] = {{"endpoint", "tcp://" + place()}, {"metrics", place()}};
    if (!bind.empty())
      for (ordered_json *daemon : {&file["ipus"][0], &file["ipus"][1], &file["rbufd"]})
        (*daemon)["bind"] = bind;
    if (withKeys) {
      file["keys"] = "keys";
      file["hosts"] = {"host"};
    }
    metrics_ = file["ipus"][1]["metrics"];
    std::ofstream(path()) << file.dump(2);
    if (withKeys) {
      EXPECT_EQ(ran({tool("copse"), "keys", "--cluster", path()}), "");
    }
  }

  void start(const std::vector<std::string> &arguments = {}) {
    for (const char *ipu : {"0", "1"})
      startOne({tool("ipud"), "--cluster", path(), "--ipu", ipu}, arguments);
    startOne({tool("rbufd"), "--cluster", path()}, arguments);
  }

  /// \returns the line with digits' weights, after a short training of two replicas over both IPUs
  static std::string weights(const std::map<std::string, std::string> &environment,
                             std::vector<std::string> options = {}) {
    options.insert(options.begin(), {DIGITS_PROGRAM, "--replicas", "2", "--epochs", "1"});
    ChildProcess digits(options, environment);
    EXPECT_EQ(digits.wait(120s), 0) << digits.errors();
    const std::string output = digits.output();
    const std::size_t at = output.find("weights (SHA-256)");
    EXPECT_NE(at, std::string::npos) << output;
    return at == std::string::npos ? "" : output.substr(at, output.find('\n', at) - at);
  }
  /// \returns the errors of a command that ends with another code than 0; otherwise an empty string
  static std::string ran(const std::vector<std::string> &command) {
    ChildProcess process(command);
    const auto code = process.wait(60s);
    return code == 0 ? "" : process.errors() + process.output() + " (it did not end with 0)";
  }
  static std::string tool(const std::string &name) {
    return std::string(TOOLS_FOLDER) + "/" + name;
  }
  std::string path() const { return folder_.file("cluster.json"); }

  TemporaryFolder folder_;
  std::string metrics_; ///< endpoint of IPU 1's metrics

private:
  void startOne(std::vector<std::string> command, const std::vector<std::string> &arguments) {
    command.insert(command.end(), arguments.begin(), arguments.end());
    daemons_.push_back(std::make_unique<ChildProcess>(std::move(command)));
    ASSERT_TRUE(daemons_.back()->waitForOutput("\n", 20s)) << daemons_.back()->errors();
  }

  std::vector<std::unique_ptr<ChildProcess>> daemons_;
};

TEST_F(Ipv6Cluster, TrainsToTheSameWeights) {
  describe("", false);
  start();
  EXPECT_EQ(ran({tool("copse"), "status", "--cluster", path()}), "");
  EXPECT_EQ(weights({{"COPSE_CLUSTER", path()}}), weights({}, {"--device", "ipumodel"}));
  EXPECT_THAT(scrape(metrics_), HasSubstr("copse_ipud_sessions_total 1"));
}

TEST_F(Ipv6Cluster, TrainsToTheSameWeightsWithKeys) {
  describe("", true);
  start();
  EXPECT_EQ(weights({{"COPSE_CLUSTER", path()}}), weights({}, {"--device", "ipumodel"}));
}

TEST_F(Ipv6Cluster, ListensAtAllInterfacesOnlyIfConfigured) {
  describe("[::]", false);
  ChildProcess refused({tool("ipud"), "--cluster", path(), "--ipu", "0"});
  EXPECT_EQ(refused.wait(20s), 2);
  EXPECT_THAT(refused.errors(), HasSubstr("--insecure"));
  start({"--insecure"});
  EXPECT_EQ(ran({tool("copse"), "status", "--cluster", path()}), "");
  ChildProcess host({COPSE_HOST_PROGRAM, "2"}, {{"COPSE_CLUSTER", path()}});
  EXPECT_TRUE(host.waitForOutput(": 12345", 30s)) << host.errors();
}

} // namespace
} // namespace copse::test
