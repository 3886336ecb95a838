// Tests real rbufd processes.
#include "hostile_messages.hpp"
#include "rbufd_process.hpp"
#include "scrape.hpp"

#include "remote_buffers/daemon.hpp"

#include <asio/ip/tcp.hpp>
#include <asio/read.hpp>
#include <asio/write.hpp>
#include <gmock/gmock.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <csignal>
#include <fstream>
#include <iterator>
#include <random>
#include <sstream>
#include <thread>

namespace copse::remote_buffers {
namespace {

using namespace std::chrono_literals;
using test::Bytes;
using test::bytesOf;
using test::HostileMessages;
using test::Rbufd;
using ::testing::AllOf;
using ::testing::HasSubstr;
using wire::Code;

constexpr std::size_t kRowBytes = 4096;

TEST(Rbufd, ServesEveryKindOfEndpoint) {
  test::TemporaryFolder folder;
  for (const std::string &listen :
       {"ipc://" + folder.file("socket"), std::string("tcp://127.0.0.1:*")}) {
    Rbufd daemon({"--listen", listen});
    auto store = daemon.open({{"a", 8, 2}, {"b", kRowBytes, 3}}, 2);
    ASSERT_TRUE(store.write(1, 1, 2, bytesOf(7, kRowBytes)).ok());
    Bytes row(kRowBytes);
    ASSERT_TRUE(store.read(1, 1, 2, row).ok());
    EXPECT_EQ(row, bytesOf(7, kRowBytes));
    ASSERT_TRUE(store.read(1, 0, 2, row).ok());
    EXPECT_EQ(row, bytesOf(0, kRowBytes)) << "the other replica's";
  }
}

TEST(Rbufd, ServesRowsThatAreLargerThanTheMemoryThatItShares) {
  test::TemporaryFolder folder;
  Rbufd daemon({"--listen", "ipc://" + folder.file("socket")});
  for (const std::size_t bytes : {(1U << 20) + 4U, (12U << 20) + 4U}) {
    auto store = daemon.open({{"b", bytes, 2}}, 1, std::to_string(bytes));
    Bytes row(bytes), got(bytes);
    for (std::size_t i = 0; i < bytes; ++i)
      row[i] = static_cast<std::byte>(i / 4096 + i);
    ASSERT_TRUE(store.write(0, 0, 1, row).ok());
    ASSERT_TRUE(store.read(0, 0, 1, got).ok());
    EXPECT_TRUE(got == row);
  }
}

TEST(Rbufd, ServesMoreConnectionsThanMayShareMemoryWithIt) {
  constexpr int kConnections = 140;
  test::TemporaryFolder folder;
  Rbufd daemon({"--listen", "ipc://" + folder.file("socket")});
  std::vector<RemoteBufferStore> stores;
  for (int i = 0; i < kConnections; ++i) {
    stores.push_back(daemon.open({{"b", 8, 1}}, 1, "prog"));
    ASSERT_TRUE(stores.back().write(0, 0, 0, bytesOf(i, 8)).ok());
  }
  Bytes row(8);
  ASSERT_TRUE(stores.front().read(0, 0, 0, row).ok());
  EXPECT_EQ(row, bytesOf(kConnections - 1, 8));
}

TEST(Rbufd, ServesMoreHostsThanTheFirstLimitOfOpenFilesAllows) {
  Rbufd daemon({"--listen", "tcp://127.0.0.1:*"},
               {"sh", "-c", "ulimit -S -n 40 && exec \"$@\"", "sh"});
  std::vector<RemoteBufferStore> stores;
  for (int host = 0; host < 60; ++host)
    stores.push_back(daemon.open({{"b", 8, 1}}));
  for (auto &store : stores)
    EXPECT_TRUE(store.write(0, 0, 0, bytesOf(1, 8)).ok());
}

TEST(Rbufd, MovesPiecesOfRows) {
  Rbufd daemon({});
  auto store = daemon.open({{"b", 4, 3}});
  const std::uint32_t rows[] = {2, 0};
  const wire::HostPiece pieces[] = {{1, 2}, {6, 1}};
  ASSERT_TRUE(store.scatter(0, 0, rows, pieces, bytesOf(5, 3)).ok());
  Bytes all(8);
  const wire::HostPiece whole[] = {{0, 8}};
  ASSERT_TRUE(store.gather(0, 0, rows, whole, all).ok());
  EXPECT_EQ(all, (Bytes{{}, std::byte{5}, std::byte{5}, {}, {}, {}, std::byte{5}, {}}));
}

TEST(Rbufd, KeepsRowsForTheNextHostProgram) {
  Rbufd daemon({});
  {
    auto first = daemon.open({{"b", 8, 1}});
    ASSERT_TRUE(first.write(0, 0, 0, bytesOf(9, 8)).ok());
  }
  auto second = daemon.open({{"b", 8, 1}});
  Bytes row(8);
  ASSERT_TRUE(second.read(0, 0, 0, row).ok());
  EXPECT_EQ(row, bytesOf(9, 8));
  auto other = daemon.open({{"b", 8, 1}}, 1, "another program");
  ASSERT_TRUE(other.read(0, 0, 0, row).ok());
  EXPECT_EQ(row, bytesOf(0, 8));
}

TEST(Rbufd, DeletesATemporaryStoreWhenItsOwnerEnds) {
  test::TemporaryFolder folder;
  Rbufd daemon({"--listen", "tcp://127.0.0.1:*", "--directory", folder.file("rows")});
  const auto folders = [&] {
    std::size_t count = 0;
    for (const auto &entry : std::filesystem::directory_iterator(folder.file("rows")))
      count += entry.is_directory();
    return count;
  };
  remote_buffers::ClientOptions options = daemon.as("~prog.1");
  options.owns = true;
  auto client = [&] {
    auto owner = openRemote(options, {{"b", 8, 2}}, 1);
    EXPECT_TRUE(owner.ok());
    EXPECT_TRUE(owner->write(0, 0, 1, bytesOf(7, 8)).ok());
    auto other = daemon.open({{"b", 8, 2}}, 1, "~prog.1"); // an ipud's
    Bytes row(8);
    EXPECT_TRUE(other.read(0, 0, 1, row).ok());
    EXPECT_EQ(row, bytesOf(7, 8));
    EXPECT_EQ(folders(), 1u);
    return other;
  }();
  EXPECT_EQ(folders(), 0u);
  Bytes row(8);
  EXPECT_EQ(client.read(0, 0, 1, row).code, Code::Disconnected) << "not zeroes in their place";
}

TEST(Rbufd, DeletesTemporaryStoresOfAKilledRbufd) {
  test::TemporaryFolder folder;
  const std::vector<std::string> arguments{"--listen", "tcp://127.0.0.1:*", "--directory",
                                           folder.file("rows")};
  {
    Rbufd first(arguments);
    first.open({{"b", 8, 2}}, 1, "~prog.1");
    first.open({{"b", 8, 2}}, 1, "prog");
    first.process().kill(SIGKILL);
    ASSERT_TRUE(first.process().wait(5s));
  }
  Rbufd second(arguments);
  EXPECT_FALSE(std::filesystem::exists(folder.file("rows/%7eprog.1")));
  EXPECT_TRUE(std::filesystem::exists(folder.file("rows/prog")));
}

TEST(Rbufd, RefusesABufferThatExistsWithAnotherSize) {
  Rbufd daemon({});
  daemon.open({{"weights", 8, 4}});
  for (const BufferShape &shape : {BufferShape{"weights", 8, 5}, BufferShape{"weights", 9, 4}}) {
    const auto status = openRemote(daemon.as("prog"), {shape}, 1).status();
    EXPECT_EQ(status.code, Code::InvalidOption);
    EXPECT_THAT(status.message, AllOf(HasSubstr("'weights'"), HasSubstr("4 rows of 8 bytes")));
  }
}

TEST(Rbufd, ServesSeveralHostProgramsAtOnce) {
  Rbufd daemon({});
  std::vector<std::thread> programs;
  for (int program = 1; program <= 4; ++program)
    programs.emplace_back([&daemon, program] {
      auto store = daemon.open({{"b" + std::to_string(program), kRowBytes, 16}});
      for (std::uint64_t row = 0; row < 16; ++row)
        EXPECT_TRUE(store.write(0, 0, row, bytesOf(program, kRowBytes)).ok());
      for (std::uint64_t row = 0; row < 16; ++row) {
        Bytes got(kRowBytes);
        EXPECT_TRUE(store.read(0, 0, row, got).ok());
        EXPECT_EQ(got, bytesOf(program, kRowBytes));
      }
    });
  for (auto &program : programs)
    program.join();
}

/// The test writes random rows until the daemon dies. Every row then holds its last acknowledged
/// value, or the value of the one write that was not answered any more.
TEST(Rbufd, KeepsEveryAcknowledgedRowWhenItIsKilled) {
  constexpr std::uint64_t kRows = 8;
  constexpr std::size_t kBytes = 2'000'000; // long enough that most kills come amid a write
  constexpr int kRounds = 10;
  test::TemporaryFolder folder;
  const std::vector<std::string> arguments{"--listen", "ipc://" + folder.file("socket"),
                                           "--directory", folder.file("rows")};
  std::mt19937 random(11);
  std::vector<int> acknowledged(kRows, 0);
  std::uint64_t doubtful = kRows;
  int doubtfulValue = 0, value = 0;
  for (int round = 0; round < kRounds; ++round) {
    Rbufd daemon(arguments);
    auto options = daemon.as("prog");
    options.timeout = 300ms;
    auto store = openRemote(options, {{"b", kBytes, kRows}}, 1);
    ASSERT_TRUE(store.ok()) << store.status().message;
    for (std::uint64_t row = 0; row < kRows; ++row) {
      Bytes got(kBytes);
      const auto status = store->read(0, 0, row, got);
      ASSERT_TRUE(status.ok()) << status.message;
      if (row == doubtful && got == bytesOf(doubtfulValue, kBytes))
        acknowledged[row] = doubtfulValue;
      ASSERT_EQ(got, bytesOf(acknowledged[row], kBytes)) << "row " << row << ", round " << round;
    }
    const auto writeOne = [&] {
      doubtful = random() % kRows;
      doubtfulValue = value = value % 250 + 1;
      if (!store->write(0, 0, doubtful, bytesOf(doubtfulValue, kBytes)).ok())
        return false;
      acknowledged[doubtful] = doubtfulValue;
      return true;
    };
    ASSERT_TRUE(writeOne()) << "round " << round;
    std::thread killer([&daemon, wait = std::chrono::microseconds(random() % 60'000)] {
      std::this_thread::sleep_for(wait);
      daemon.process().kill(SIGKILL);
    });
    while (writeOne())
      ;
    killer.join();
    ASSERT_EQ(daemon.process().wait(5s), 128 + SIGKILL);
  }
}

TEST(Rbufd, IsFoundAfterARestart) {
  test::TemporaryFolder folder;
  const std::vector<std::string> arguments{"--listen", "ipc://" + folder.file("socket"),
                                           "--directory", folder.file("rows")};
  auto first = std::make_unique<Rbufd>(arguments);
  auto store = first->open({{"b", 8, 1}});
  ASSERT_TRUE(store.write(0, 0, 0, bytesOf(3, 8)).ok());
  first->process().kill(SIGKILL);
  ASSERT_TRUE(first->process().wait(5s));
  first.reset();
  Rbufd second(arguments);
  Bytes row(8);
  const auto status = store.read(0, 0, 0, row);
  ASSERT_TRUE(status.ok()) << status.message;
  EXPECT_EQ(row, bytesOf(3, 8));
}

TEST(Rbufd, IsNamedWhenItDoesNotAnswer) {
  test::TemporaryFolder folder;
  const std::string nowhere = "ipc://" + folder.file("nobody");
  const auto begin = std::chrono::steady_clock::now();
  const auto status = openRemote({nowhere, "prog", 200ms}, {{"b", 8, 1}}, 1).status();
  EXPECT_EQ(status.code, Code::Timeout);
  EXPECT_THAT(status.message, HasSubstr(nowhere));
  EXPECT_LT(std::chrono::steady_clock::now() - begin, 10s);
  EXPECT_EQ(openRemote({"nonsense", "prog", 200ms}, {}, 1).status().code, Code::InvalidOption);
}

TEST(Rbufd, EndsSoonOnRequestWhileItIsBusy) {
  test::TemporaryFolder folder;
  Rbufd daemon({"--directory", folder.file("rows")});
  auto options = daemon.as("prog");
  options.timeout = 500ms;
  auto store = openRemote(options, {{"b", 1 << 20, 8}}, 1);
  ASSERT_TRUE(store.ok());
  std::atomic<std::uint64_t> written{0};
  std::thread writer([&] {
    const Bytes row = bytesOf(1, 1 << 20);
    while (store->write(0, 0, written % 8, row).ok())
      ++written;
  });
  for (const auto giveUp = std::chrono::steady_clock::now() + 20s;
       written < 3 && std::chrono::steady_clock::now() < giveUp;)
    std::this_thread::sleep_for(1ms);
  EXPECT_GE(written, 3u) << "it ends while rows come";
  daemon.process().kill(SIGTERM);
  EXPECT_EQ(daemon.process().wait(2s), 0);
  writer.join();
}

TEST(Rbufd, CountsItsWork) {
  Rbufd daemon({});
  auto store = daemon.open({{"b", 8, 1}});
  ASSERT_TRUE(store.write(0, 0, 0, bytesOf(1, 8)).ok());
  test::ChildProcess asking({COPSE_RBUFD_PATH, "--counters", daemon.endpoint()});
  EXPECT_EQ(asking.wait(5s), 0) << asking.errors();
  const auto counters = nlohmann::json::parse(asking.output(), nullptr, false);
  ASSERT_TRUE(counters.is_object()) << asking.output();
  EXPECT_EQ(counters["writes"], 1);
  EXPECT_EQ(counters["writtenBytes"], 8);
  EXPECT_EQ(counters["buffers"], 1);
}

std::vector<std::string> realRequests() {
  namespace rows = wire::rows;
  const rows::Access access{77, 0, 0, {{0, 0, 8}}};
  std::vector<std::string> frames;
  for (const rows::Body &body : {rows::Body(rows::Open{"prog", 1, {{"b", 8, 1}, {"c", 16, 4}}}),
                                 rows::Body(rows::Read{access}), rows::Body(rows::Write{access}),
                                 rows::Body(rows::Counters{}), rows::Body(rows::Ok{})})
    frames.push_back(HostileMessages::asText(rows::encode({1, 8, body})));
  return frames;
}

void sendHostile(const std::string &endpoint, HostileMessages &hostile) {
  zmq::context_t context;
  for (const auto type : {zmq::socket_type::dealer, zmq::socket_type::push}) {
    zmq::socket_t socket(context, type);
    socket.set(zmq::sockopt::linger, 200);
    socket.set(zmq::sockopt::sndtimeo, 0); // a refused peer must not block
    socket.connect(endpoint);
    for (int message = 0; message < 400; ++message)
      for (std::uint32_t frames = hostile.number(4) + 1; frames > 0; --frames)
        static_cast<void>(socket.send(zmq::buffer(hostile.frame()), frames > 1
                                                                        ? zmq::send_flags::sndmore
                                                                        : zmq::send_flags::none));
  }
}

/// Sends bytes that are not the socket's protocol at all.
void sendRaw(const std::string &address, HostileMessages &hostile) {
  asio::io_context io;
  for (int connection = 0; connection < 50; ++connection) {
    asio::ip::tcp::socket socket(io);
    socket.connect(test::addressOf(address));
    asio::error_code refused;
    asio::write(socket, asio::buffer(hostile.noise(2000)), refused);
  }
}

TEST(Rbufd, DropsAndCountsInvalidMessages) {
  Rbufd daemon({"--metrics", "127.0.0.1:0"});
  auto store = daemon.open({{"kept", 8, 1}}, 1, "kept");
  ASSERT_TRUE(store.write(0, 0, 0, bytesOf(4, 8)).ok());
  HostileMessages hostile(realRequests());
  sendHostile(daemon.endpoint(), hostile);
  sendRaw(daemon.endpoint(), hostile);
  sendRaw(daemon.metrics(), hostile);
  Bytes row(8);
  ASSERT_TRUE(store.read(0, 0, 0, row).ok());
  EXPECT_EQ(row, bytesOf(4, 8));
  const auto counters = askCounters(daemon.endpoint(), 5s);
  ASSERT_TRUE(counters.ok());
  const auto dropped = std::find_if(counters->begin(), counters->end(),
                                    [](const auto &counter) { return counter.name == "dropped"; });
  EXPECT_GT(dropped->value, 100U);
}

TEST(Rbufd, GivesMetricsToPrometheus) {
  Rbufd daemon({"--metrics", "127.0.0.1:0"});
  auto store = daemon.open({{"a", 8, 2}, {"b", kRowBytes, 3}});
  Bytes row(8);
  ASSERT_TRUE(store.write(0, 0, 0, bytesOf(1, 8)).ok());
  ASSERT_TRUE(store.read(0, 0, 0, row).ok());
  ASSERT_TRUE(store.read(0, 0, 1, row).ok());
  const std::string text = test::scrape(daemon.metrics());
  for (const char *line :
       {"copse_rbufd_requests_total{request=\"read\"} 2\n",
        "copse_rbufd_requests_total{request=\"write\"} 1\n", "copse_rbufd_read_bytes_total 16\n",
        "copse_rbufd_written_bytes_total 8\n", "copse_rbufd_faults_total 0\n",
        "copse_rbufd_stores 1\n", "copse_rbufd_buffers 2\n", "# TYPE copse_rbufd_buffers gauge\n",
        "# TYPE copse_rbufd_requests_total counter\n"})
    EXPECT_THAT(text, HasSubstr(line));
}

TEST(Rbufd, ListsItsMetricsInTheDocuments) {
  Rbufd daemon({"--metrics", "127.0.0.1:0"});
  std::ifstream file(COPSE_METRICS_PAGE);
  const std::string page{std::istreambuf_iterator<char>(file), {}};
  std::istringstream lines(test::scrape(daemon.metrics()));
  int metrics = 0;
  for (std::string line; std::getline(lines, line);) {
    std::istringstream words(line);
    std::string hash, type, name;
    words >> hash >> type >> name;
    if (type != "TYPE" || name.rfind("copse_", 0) != 0)
      continue;
    ++metrics;
    EXPECT_THAT(page, HasSubstr("`" + name + "`"));
  }
  EXPECT_GT(metrics, 5);
}

TEST(RbufdConfiguration, ReadsTheExample) {
  const auto options = readConfiguration(COPSE_RBUFD_CONFIGURATION);
  ASSERT_TRUE(options.ok()) << options.status().message;
  EXPECT_EQ(options->directory, "/var/lib/copse/remote-buffers");
  EXPECT_EQ(options->maxMessageBytes, std::uint64_t{1} << 30);
}

TEST(RbufdConfiguration, EndsTheProgramWhenItIsWrong) {
  test::TemporaryFolder folder;
  std::ofstream(folder.file("c.json")) << R"({"listne": "x"})";
  for (const auto &arguments :
       std::vector<std::vector<std::string>>{{"--config", folder.file("c.json")},
                                             {"--config", folder.file("missing.json")},
                                             {"--listen", "nonsense"},
                                             {"--metrics", "nonsense"},
                                             {"--metrics", "127.0.0.1:99999"},
                                             {"--directory", "/proc/nothing"}}) {
    auto command = arguments;
    command.insert(command.begin(), COPSE_RBUFD_PATH);
    test::ChildProcess process(command);
    EXPECT_EQ(process.wait(5s), 2) << arguments[1];
    EXPECT_THAT(process.errors(), HasSubstr("rbufd: "));
  }
}

} // namespace
} // namespace copse::remote_buffers
