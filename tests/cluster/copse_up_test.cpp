// Tests copse up, status, run and down: a cluster of processes of this machine, from the command
// line.
#include "cluster_nodes.hpp"
#include "copse_up.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <csignal>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sys/stat.h>

namespace copse::test {
namespace {

using namespace std::chrono_literals;
using nlohmann::json;
using ::testing::AllOf;
using ::testing::HasSubstr;

TEST_F(CopseUp, StartsAClusterThatOutlivesTheCommandUntilDown) {
  const Outcome up = copse({"up", "--ipus", "4", "--topology", "torus"});
  ASSERT_EQ(up.code, 0) << up.errors;
  EXPECT_THAT(up.output, HasSubstr("COPSE_CLUSTER=" + (directory() / "cluster.json").string()));
  struct stat info {};
  ASSERT_EQ(::stat(directory().c_str(), &info), 0);
  EXPECT_EQ(info.st_mode & 0777, 0700U) << "who can reach the sockets can load code";
  const json before = status();
  EXPECT_EQ(before["ipus"].size(), 4U);
  EXPECT_EQ(before["rbufd"]["state"], "up");
  for (const json &ipu : before["ipus"])
    EXPECT_EQ(ipu["state"], "free");

  const Outcome links = onCluster("gc-links", {"--ipus", "4", "--json"});
  EXPECT_EQ(links.code, 0) << links.errors;
  EXPECT_EQ(json::parse(links.output, nullptr, false).size(), 8U);
  EXPECT_EQ(status()["ipus"][3]["sessions"], 1);

  const auto all = pids();
  EXPECT_EQ(copse({"down"}).code, 0);
  EXPECT_TRUE(allGone(all, 5s));
  EXPECT_FALSE(fs::exists(directory() / "cluster.json"));
  EXPECT_EQ(copse({"down"}).code, 1);
}

TEST_F(CopseUp, WorksOverTcp) {
  ASSERT_EQ(copse({"up", "--ipus", "2", "--transport", "tcp"}).code, 0);
  EXPECT_THAT(status()["ipus"][0]["control"].get<std::string>(), HasSubstr("tcp://127.0.0.1:"));
  const Outcome traffic = onCluster("gc-iputraffictest", {"--bytes", "4096", "--iterations", "2"});
  EXPECT_EQ(traffic.code, 0) << traffic.errors;
}

/// Writes an ipud that gets the ports of another one, once: as if another process had taken its
/// ports between the moment at which they were chosen and that at which it listens.
std::string ipudWithoutPorts(const fs::path &folder) {
  const std::string tools = TOOLS_FOLDER, script = folder / "ipud";
  std::ofstream(script) << "#!/bin/sh\n"
                        << "if [ \"$4\" = 1 ] && mkdir " << folder / "first"
                        << " 2>/dev/null; then\n"
                        << "  cp \"$2\" " << folder / "first"
                        << "\n"
                        << "  exec " << tools << "/ipud --cluster \"$2\" --ipu 0\n"
                        << "fi\n"
                        << "exec " << tools << "/ipud \"$@\"\n";
  fs::permissions(script, fs::perms(0755));
  fs::create_symlink(tools + "/rbufd", folder / "rbufd");
  return script;
}

TEST_F(CopseUp, TakesOtherPortsIfOneIsTaken) {
  const TemporaryFolder programs;
  auto variables = environment();
  variables["COPSE_IPUD"] = ipudWithoutPorts(programs.path());
  ChildProcess up({std::string(TOOLS_FOLDER) + "/copse", "up", "--ipus", "2", "--transport", "tcp"},
                  variables);
  EXPECT_EQ(up.wait(60s), 0) << up.errors();
  const auto portsIn = [](const fs::path &file) {
    std::ifstream stream(file);
    return json::parse(stream, nullptr, false)["ipus"];
  };
  EXPECT_NE(portsIn(directory() / "cluster.json"), portsIn(programs.path() / "first/cluster.json"));
  for (const json &ipu : status()["ipus"])
    EXPECT_EQ(ipu["state"], "free");
}

TEST_F(CopseUp, NamesADaemonThatDidNotStartAndHowItEnded) {
  auto variables = environment();
  const TemporaryFolder programs;
  const std::string ipud = variables["COPSE_IPUD"] = programs.file("ipud");
  fs::create_symlink("/bin/false", programs.file("rbufd"));
  const auto errorsOfUp = [&](const std::string &script) {
    std::ofstream(ipud) << "#!/bin/sh\n" << script << "\n";
    fs::permissions(ipud, fs::perms::owner_all);
    ChildProcess up(
        {std::string(TOOLS_FOLDER) + "/copse", "up", "--ipus", "2", "--transport", "tcp"},
        variables);
    EXPECT_EQ(up.wait(60s), 1);
    return up.errors();
  };
  const std::string log = " before it was ready; see " + directory().string();
  EXPECT_THAT(errorsOfUp("exit 3"), HasSubstr("ipu-0 exited with code 3" + log));
  EXPECT_THAT(errorsOfUp("kill -SEGV $$"),
              HasSubstr("ipu-0 was killed by signal 11 (SIGSEGV)" + log));
}

TEST_F(CopseUp, NamesASilentDaemonAndRestartsIt) {
  ASSERT_EQ(copse({"up", "--ipus", "2"}).code, 0);
  const auto before = pids();
  ASSERT_TRUE(before.size() == 2 && before[1] > 1) << "no process of its own to be killed";
  ASSERT_EQ(::kill(before[1], SIGKILL), 0);
  ASSERT_TRUE(allGone({before[1]}, 5s));
  EXPECT_EQ(status(1)["ipus"][1]["state"], "silent");
  ASSERT_EQ(copse({"up", "--ipus", "2"}).code, 0);
  const auto after = pids();
  EXPECT_EQ(after[0], before[0]);
  EXPECT_NE(after[1], before[1]);
  const Outcome other = copse({"up", "--ipus", "4"});
  EXPECT_EQ(other.code, 1);
  EXPECT_THAT(other.errors,
              AllOf(HasSubstr(", with 2 IPUs instead of 4 IPUs; "), HasSubstr("copse down")));
}

TEST_F(CopseUp, NamesTheDifferencesOfAnotherCluster) {
  ASSERT_EQ(copse({"up", "--ipus", "2"}).code, 0);
  const Outcome other = copse({"up", "--ipus", "2", "--topology", "torus", "--transport", "ipc"});
  EXPECT_EQ(other.code, 1);
  EXPECT_THAT(other.errors, HasSubstr("with a mesh instead of a torus, shm instead of ipc; "));
}

/// An earlier copse up, which wrote before it checked, left such a file.
TEST_F(CopseUp, DownRemovesAFileThatNothingCanRead) {
  fs::create_directory(directory());
  fs::permissions(directory(), fs::perms(0700));
  std::ofstream(directory() / "cluster.json") << "{\"ipus\": [1, 2, 3]}";
  EXPECT_EQ(copse({"status"}).code, 1);
  EXPECT_EQ(copse({"down"}).code, 0);
  EXPECT_FALSE(fs::exists(directory() / "cluster.json"));
  EXPECT_EQ(copse({"up", "--ipus", "1"}).code, 0);
}

TEST_F(CopseUp, ShowsTheHolderOfAnIpuAndGcResetEvictsIt) {
  ASSERT_EQ(copse({"up", "--ipus", "2"}).code, 0);
  auto variables = environment();
  variables["COPSE_CLUSTER"] = (directory() / "cluster.json").string();
  ChildProcess host({COPSE_HOST_PROGRAM, "2"}, variables);
  ASSERT_TRUE(host.waitForOutput("device 2", 30s)) << host.errors();
  const std::string holder = status()["ipus"][0]["holder"];
  EXPECT_THAT(holder, HasSubstr("pid " + std::to_string(host.pid())));
  EXPECT_EQ(status()["links"].size(), 2U) << "one link, seen from both ends";
  host.kill(SIGSTOP); // it will never give them back, but its lease keeps them for a while

  EXPECT_EQ(onCluster("gc-reset", {"--device-id", "2"}).code, 1);
  const Outcome reset = onCluster("gc-reset", {"--device-id", "2", "--force"});
  EXPECT_EQ(reset.code, 0) << reset.errors;
  EXPECT_THAT(reset.output, HasSubstr("ready"));
  EXPECT_EQ(status()["ipus"][0]["state"], "free");
}

TEST_F(CopseUp, InjectedErrorsStayUntilGcReset) {
  ASSERT_EQ(copse({"up", "--ipus", "2"}).code, 0);
  const auto traffic = [&] {
    return onCluster("gc-iputraffictest", {"--bytes", "4096", "--tiles", "1", "--iterations", "2"});
  };
  ASSERT_EQ(traffic().code, 0);
  // The addresses of the data that tile 0 sends and of the data that it receives; both are 4 KiB.
  for (const char *const address : {"0x4c800", "0x4d800"}) {
    const Outcome inject = copse({"inject", "--ipu", "1", "--tile", "0", "--address", address});
    ASSERT_EQ(inject.code, 0) << inject.errors;
  }
  for (int program = 0; program < 2; ++program) { // another program does not mend it
    const Outcome bad = traffic();
    EXPECT_EQ(bad.code, 1);
    EXPECT_THAT(bad.errors, AllOf(HasSubstr("ipu 1, tile 0"), HasSubstr("parity error"),
                                  HasSubstr("gc-reset")));
  }
  const Outcome reset = onCluster("gc-reset", {"--device-id", "2"});
  EXPECT_EQ(reset.code, 0) << reset.errors;
  EXPECT_EQ(traffic().code, 0);

  for (const char *const address : {"0x4c800", "0x4d800"})
    copse({"inject", "--ipu", "1", "--tile", "0", "--address", address});
  EXPECT_EQ(traffic().code, 1);
  EXPECT_EQ(onCluster("gc-reset", {"--device-id", "2", "--force"}).code, 0);
  EXPECT_EQ(traffic().code, 0);
  const Outcome nobody = copse({"inject", "--ipu", "2", "--tile", "0", "--address", "0x4c000"});
  EXPECT_EQ(nobody.code, 2);
  EXPECT_THAT(nobody.errors, HasSubstr("no ipu 2"));
}

TEST_F(CopseUp, InjectRefusesAddressesThatNoTileHas) {
  ASSERT_EQ(copse({"up", "--ipus", "1"}).code, 0);
  const struct {
    const char *tile, *address, *says;
  } cases[] = {{"1472", "0x4c000", "no tile 1472; an IPU has tiles 0 to 1471"},
               {"0", "0x4bffc", "no memory at 0x4bffc, but from 0x4c000 to 0xe7fff"},
               {"0", "0xe8000", "no memory at 0xe8000"},
               {"0", "0x100000000", "--address"}};
  for (const auto &c : cases) {
    const Outcome outcome =
        copse({"inject", "--ipu", "0", "--tile", c.tile, "--address", c.address});
    EXPECT_EQ(outcome.code, 2) << c.says;
    EXPECT_THAT(outcome.errors, HasSubstr(c.says));
  }
  EXPECT_EQ(copse({"inject", "--ipu", "0", "--tile", "1471", "--address", "0xe7ffc"}).code, 0);
}

TEST_F(CopseUp, RefusesADirectoryThatOtherUsersMayEnter) {
  fs::create_directory(directory());
  fs::permissions(directory(), fs::perms(0755));
  const Outcome up = copse({"up", "--ipus", "1"});
  EXPECT_EQ(up.code, 1);
  EXPECT_THAT(up.errors, HasSubstr("only you may enter"));
}

TEST_F(CopseUp, StatusSaysThatThereIsNoCluster) {
  const Outcome none = copse({"status"});
  EXPECT_EQ(none.code, 1);
  EXPECT_THAT(none.errors, HasSubstr("copse up"));
}

} // namespace
} // namespace copse::test
