// Strangers at the sockets of live ipuds.
#include "images.hpp"
#include "machines.hpp"
#include "shapes.hpp"
#include "temporary_folder.hpp"

#include <gtest/gtest.h>
#include <zmq.hpp>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <random>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

namespace copse::session {
namespace {

namespace fs = std::filesystem;
using test::codelets;
using test::ImageWriter;
using test::kWord;
using wire::Op;

class Strangers : public ::testing::Test {
protected:
  std::vector<fs::path> sockets() const {
    std::vector<fs::path> all;
    for (const auto &entry : fs::recursive_directory_iterator(directory_.path()))
      if (entry.is_socket())
        all.push_back(entry.path());
    return all;
  }
  std::string randomBytes(std::size_t most) {
    std::string bytes(random_() % most, '\0');
    std::generate(bytes.begin(), bytes.end(), [this] { return static_cast<char>(random_()); });
    return bytes;
  }

  void sendMessages(const fs::path &path, zmq::socket_type type) {
    zmq::socket_t socket(context_, type);
    socket.set(zmq::sockopt::linger, 100);
    socket.set(zmq::sockopt::sndtimeo, 0); // a refused stranger has nobody to wait for
    socket.connect("ipc://" + path.string());
    for (int message = 0; message < 200; ++message)
      for (std::size_t frames = random_() % 4 + 1; frames > 0; --frames)
        static_cast<void>(socket.send(zmq::buffer(randomBytes(300)), frames > 1
                                                                         ? zmq::send_flags::sndmore
                                                                         : zmq::send_flags::none));
  }
  /// What does not even speak ZeroMQ.
  void sendRaw(const fs::path &path) {
    for (int connection = 0; connection < 20; ++connection) {
      const int descriptor = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
      sockaddr_un address{};
      address.sun_family = AF_UNIX;
      path.string().copy(address.sun_path, sizeof address.sun_path - 1);
      if (::connect(descriptor, reinterpret_cast<sockaddr *>(&address), sizeof address) == 0) {
        const std::string bytes = randomBytes(2000);
        static_cast<void>(
            ::send(descriptor, bytes.data(), bytes.size(), MSG_NOSIGNAL | MSG_DONTWAIT));
      }
      ::close(descriptor);
    }
  }

  std::mt19937 random_{7};
  test::OwnTemporaryDirectory directory_;
  zmq::context_t context_;
};

TEST_F(Strangers, DoNotDisturbARunningMachine) {
  ::setenv("COPSE_LOG_LEVEL", "off", 1); // they are logged, and that is not what is tested here
  auto started = Machine::start(test::machineOptions(2, Transport::Ipc));
  ::unsetenv("COPSE_LOG_LEVEL");
  ASSERT_TRUE(started.ok()) << started.status().message;
  Machine &machine = **started;
  Program program;
  program.replicas = 2;
  program.modules = codelets().bytes();
  ImageWriter writer(codelets().ref());
  writer.image.hostViews.push_back(ImageWriter::row(kWord, 1));
  writer.program({writer.vertex("add", {kWord, 1}), test::step(Op::Sync, 2)});
  program.images.push_back(writer.image);
  ASSERT_TRUE(machine.load(std::move(program)).ok());

  const auto paths = sockets();
  ASSERT_EQ(paths.size(), 6U);
  test::RecordingHandler handler;
  std::uint32_t runs = 0;
  const auto processes = machine.processes();
  for (const fs::path &path : paths) {
    for (const auto type : {zmq::socket_type::dealer, zmq::socket_type::push, zmq::socket_type::pub,
                            zmq::socket_type::pair}) {
      sendMessages(path, type);
      const auto report = machine.run(0, handler);
      ASSERT_TRUE(report.ok()) << path << ": " << report.status().message;
      ++runs;
    }
    sendRaw(path);
  }
  std::vector<std::uint32_t> words(2);
  ASSERT_TRUE(machine.read(0, test::bytesOf(words)).ok());
  EXPECT_EQ(words, std::vector<std::uint32_t>(2, runs));
  EXPECT_EQ(machine.processes(), processes);
}

} // namespace
} // namespace copse::session
