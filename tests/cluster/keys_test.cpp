// Tests keys: who is accepted by a cluster, and that refusals cost no memory.
#include "cluster/key_files.hpp"
#include "cluster_nodes.hpp"
#include "copse_up.hpp"
#include "process_facts.hpp"

#include "remote_buffers/client.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <sys/socket.h>
#include <unistd.h>

namespace copse::test {
namespace {

using namespace std::chrono_literals;
using ::testing::AllOf;
using ::testing::HasSubstr;

/// A cluster of two IPUs with keys.
class KeyedCluster : public CopseUp {
protected:
  KeyedCluster() {
    const Outcome up = copse({"up", "--ipus", "2", "--transport", "tcp", "--keys"});
    EXPECT_EQ(up.code, 0) << up.errors;
    auto cluster = cluster::readCluster(directory() / "cluster.json");
    EXPECT_TRUE(cluster.ok()) << cluster.status().message;
    if (cluster)
      cluster_ = std::move(*cluster);
  }

  /// Returns true if IPU \p ipu answers a host with \p keys.
  bool answers(std::size_t ipu, const fabric::Keyring *keys) {
    return session::inspectNode(context_, session::nodeAt(cluster_, ipu, keys), 700ms).ok();
  }
  std::shared_ptr<const fabric::Keyring> keysOf(const std::string &name) const {
    auto keys = cluster::keysOf(cluster_, name);
    EXPECT_TRUE(keys.ok()) << keys.status().message;
    return keys ? *keys : nullptr;
  }
  cluster::Cluster cluster_;
  zmq::context_t context_{1};
};

TEST_F(KeyedCluster, RunsProgramsOfItsHosts) {
  const Outcome links = onCluster("gc-links", {"--ipus", "2", "--json"});
  EXPECT_EQ(links.code, 0) << links.errors;
  const auto now = status();
  EXPECT_EQ(now["ipus"][1]["sessions"], 1);
  EXPECT_EQ(now["rbufd"]["state"], "up");
}

TEST_F(KeyedCluster, LetsHostProgramsShareReplicasWithRowsAtTheRbufd) {
  auto variables = environment();
  variables["COPSE_CLUSTER"] = (directory() / "cluster.json").string();
  ChildProcess first({COPSE_REPLICA_PROGRAM, "0", "1", "2", "1"}, variables),
      second({COPSE_REPLICA_PROGRAM, "1", "1", "2", "1"}, variables);
  // Codelets that are in no cache yet take 15 s on a machine with other load.
  EXPECT_EQ(first.wait(120s), 0) << first.output() << first.errors();
  EXPECT_EQ(second.wait(120s), 0) << second.output() << second.errors();
  EXPECT_THAT(second.output(), HasSubstr("replica 1: "));
}

TEST_F(KeyedCluster, AnswersNoPeerWithoutAKey) {
  const auto host = keysOf("host"), ipu = keysOf("ipu-1");
  EXPECT_TRUE(answers(0, host.get()));
  EXPECT_TRUE(answers(1, ipu.get())) << "a node may ask itself, as health checks do";
  EXPECT_FALSE(answers(0, nullptr)) << "no keys at all";
  EXPECT_FALSE(answers(0, ipu.get())) << "another IPU is no host";
  std::map<std::string, std::string> publicKeys;
  std::ifstream file(cluster_.keys / "public.json");
  const auto all = nlohmann::json::parse(file);
  for (const auto &[name, key] : all.items())
    publicKeys[name] = key;
  const fabric::Keyring stranger("host", fabric::newKeyPair(), publicKeys);
  const auto unknown =
      session::inspectNode(context_, session::nodeAt(cluster_, 0, &stranger), 700ms).status();
  EXPECT_THAT(unknown.message, AllOf(HasSubstr("does not answer"), HasSubstr("'host'"),
                                     HasSubstr("see whether keys are the reason")));
  EXPECT_FALSE(remote_buffers::askCounters(cluster_.rbufd->endpoint.address, 700ms).ok());
  EXPECT_TRUE(answers(0, host.get()));
}

TEST_F(KeyedCluster, NamesAKeyThatTheProgramCannotRead) {
  fs::permissions(cluster_.keys / "host.key", fs::perms(0644));
  const Outcome links = onCluster("gc-links", {"--ipus", "2"});
  EXPECT_EQ(links.code, 1);
  EXPECT_THAT(links.errors, AllOf(HasSubstr("host.key"), HasSubstr("chmod 600")));
  fs::permissions(cluster_.keys / "host.key", fs::perms(0600));
}

TEST_F(KeyedCluster, SurvivesAFloodOfUnauthenticatedConnections) {
  const pid_t ipud = pids().at(0);
  const auto host = keysOf("host");
  const std::vector<sockaddr_in> ports = listeningPorts(ipud);
  ASSERT_GE(ports.size(), 3U) << "control, links, sync";
  const auto flood = [&](int connections) {
    std::vector<int> open;
    for (int i = 0; i < connections; ++i) {
      const sockaddr_in &to = ports[static_cast<std::size_t>(i) % ports.size()];
      const int socket = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
      if (::connect(socket, reinterpret_cast<const sockaddr *>(&to), sizeof to) == 0) {
        const std::string words(static_cast<std::size_t>(i % 7) * 40, static_cast<char>(i));
        (void)::send(socket, words.data(), words.size(), MSG_NOSIGNAL);
      }
      open.push_back(socket);
    }
    return open;
  };
  for (const int socket : flood(400)) // whatever is allocated once is allocated now
    ::close(socket);
  ASSERT_TRUE(soon([&] { return answers(0, host.get()); }));
  ASSERT_TRUE(soon([&] { return descriptorsOf(ipud) < 100; }));
  const std::size_t descriptors = descriptorsOf(ipud);
  const double memory = residentMiB(ipud);

  std::vector<int> open;
  for (int round = 0; round < 5; ++round) {
    for (const int socket : flood(400))
      round < 4 ? static_cast<void>(::close(socket)) : open.push_back(socket);
    EXPECT_TRUE(soon([&] { return answers(0, host.get()); })) << "round " << round;
  }
  // Connections that stay silent time out, too.
  EXPECT_TRUE(soon([&] { return descriptorsOf(ipud) <= descriptors + 8; }));
  EXPECT_LT(residentMiB(ipud), memory + 8);
  for (const int socket : open)
    ::close(socket);
  EXPECT_EQ(onCluster("gc-links", {"--ipus", "2"}).code, 0);
}

TEST(Daemons, RefuseToListenBeyondLoopbackWithoutKeys) {
  const std::string rbufd = std::string(TOOLS_FOLDER) + "/rbufd";
  for (const std::vector<std::string> &command :
       {std::vector<std::string>{COPSE_IPUD_PATH, "--link", "tcp://0.0.0.0:*"},
        {rbufd, "--listen", "tcp://0.0.0.0:*"}}) {
    ChildProcess refused(command);
    EXPECT_EQ(refused.wait(10s), 2);
    EXPECT_THAT(refused.errors(), AllOf(HasSubstr("tcp://0.0.0.0:*"), HasSubstr("--insecure")));
    auto insecure = command;
    insecure.emplace_back("--insecure");
    ChildProcess told(insecure);
    EXPECT_TRUE(told.waitForOutput("0.0.0.0", 10s)) << told.errors();
  }
}

TEST_F(CopseUp, KeysAreWrittenIfTheFileNamesADirectory) {
  const fs::path file = folder() / "lab.json";
  const auto write = [&](const std::string &keys) {
    std::ofstream(file)
        << R"({"ipus": [{"control": "tcp://h:1", "link": "tcp://h:2", "sync": "tcp://h:3"}])"
        << keys << "}";
  };
  write("");
  EXPECT_THAT(copse({"keys", "--cluster", file}).errors, HasSubstr("add \"keys\": \"keys\""));
  write(R"(, "keys": "secret", "hosts": ["alice"])");
  const Outcome keys = copse({"keys", "--cluster", file});
  EXPECT_EQ(keys.code, 0) << keys.errors;
  EXPECT_THAT(keys.output, HasSubstr("2 new keys in " + (folder() / "secret").string()));
  EXPECT_TRUE(fs::exists(folder() / "secret" / "alice.key"));
}

} // namespace
} // namespace copse::test
