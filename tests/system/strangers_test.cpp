// Tests unauthenticated peers at the sockets of live ipuds.
#include "hostile_messages.hpp"
#include "images.hpp"
#include "machines.hpp"
#include "shapes.hpp"
#include "temporary_folder.hpp"

#include "wire/envelope.hpp"
#include "wire/session.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <zmq.hpp>

#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <sys/socket.h>
#include <sys/un.h>
#include <thread>
#include <unistd.h>

namespace copse::session {
namespace {

namespace fs = std::filesystem;
using test::codelets;
using test::HostileMessages;
using test::ImageWriter;
using test::kWord;
using ::testing::HasSubstr;
using wire::Op;

/// Returns the messages of hosts and neighbours to an ipud, except that the epoch is wrong: a peer
/// that was not told it does not know it.
std::vector<std::string> realMessages() {
  namespace session = wire::session;
  std::vector<std::string> frames;
  for (const session::Body &body :
       {session::Body(session::Heartbeat{}), session::Body(session::Hello{50}),
        session::Body(session::Configure{}), session::Body(session::Load{}),
        session::Body(session::Run{}), session::Body(session::Stop{}),
        session::Body(session::ViewWrite{}), session::Body(session::StreamRow{}),
        session::Body(session::Rows{}), session::Body(session::Fault{})})
    frames.push_back(HostileMessages::asText(session::encode({3, {}, body})));
  for (const std::uint32_t to : {0U, 1U}) {
    const wire::Status failure{wire::Code::Internal, "stop"};
    wire::Envelope envelope;
    envelope.epoch = 0x5EED5EED;
    envelope.from = {1 - to};
    envelope.to = {to};
    const auto add = [&](auto body) {
      envelope.body = std::move(body);
      frames.push_back(HostileMessages::asText(wire::encode(envelope)));
    };
    add(wire::Ack{});
    add(wire::Packet{{1 - to}, {to}, 0, 0});
    add(wire::Probe{});
    add(wire::Fault{wire::Code::Internal, "stop"});
    add(wire::SyncArrive{wire::SyncGroup::GS2, {1}, failure, 0});
    add(wire::SyncLeave{wire::SyncGroup::GS2, {1}, failure});
  }
  return frames;
}

struct TransportCase {
  const char *name;
  Transport transport;
  std::size_t sockets; ///< sockets of two IPUs
  const char *ofLinks; ///< text of the log
};
const TransportCase kTransports[] = {
    // control, its rings, link and sync
    {"Ipc", Transport::Ipc, 8, "dropped a message, number 64"},
    // control, its rings, link and sync; a peer that is not a neighbour sends at most one message
    {"Shm", Transport::Shm, 8, "dropped a message, number 32"},
};

class UnauthenticatedPeers : public ::testing::TestWithParam<TransportCase> {
protected:
  std::vector<fs::path> sockets() const {
    std::vector<fs::path> all;
    for (const auto &entry : fs::recursive_directory_iterator(directory_.path()))
      if (entry.is_socket())
        all.push_back(entry.path());
    return all;
  }

  void sendMessages(const fs::path &path, zmq::socket_type type) {
    zmq::socket_t socket(context_, type);
    socket.set(zmq::sockopt::linger, 100);
    socket.set(zmq::sockopt::sndtimeo, 0); // a refused peer must not block
    socket.connect("ipc://" + path.string());
    for (int message = 0; message < 200; ++message)
      for (std::uint32_t frames = hostile_.number(4) + 1; frames > 0; --frames)
        static_cast<void>(socket.send(zmq::buffer(hostile_.frame()), frames > 1
                                                                         ? zmq::send_flags::sndmore
                                                                         : zmq::send_flags::none));
  }
  /// Sends bytes that are not ZeroMQ's protocol, to sockets of any kind.
  void sendRaw(const fs::path &path, int type) {
    for (int connection = 0; connection < 50; ++connection) {
      const int descriptor = ::socket(AF_UNIX, type | SOCK_CLOEXEC, 0);
      sockaddr_un address{};
      address.sun_family = AF_UNIX;
      path.string().copy(address.sun_path, sizeof address.sun_path - 1);
      if (::connect(descriptor, reinterpret_cast<sockaddr *>(&address), sizeof address) == 0) {
        const std::string bytes = connection % 2 == 0 ? hostile_.frame() : hostile_.noise(2000);
        static_cast<void>(
            ::send(descriptor, bytes.data(), bytes.size(), MSG_NOSIGNAL | MSG_DONTWAIT));
      }
      ::close(descriptor);
    }
  }

  HostileMessages hostile_{realMessages()};
  test::OwnTemporaryDirectory directory_;
  zmq::context_t context_;
};

INSTANTIATE_TEST_SUITE_P(Transports, UnauthenticatedPeers, ::testing::ValuesIn(kTransports),
                         [](const auto &p) { return std::string(p.param.name); });

TEST_P(UnauthenticatedPeers, AreLoggedAndDroppedByARunningMachine) {
  ::testing::internal::CaptureStderr(); // the ipuds' log, too
  auto started = Machine::start(test::machineOptions(2, GetParam().transport));
  ASSERT_TRUE(started.ok()) << started.status().message;
  Machine &machine = **started;
  Program program;
  program.replicas = 2;
  program.modules = codelets().bytes();
  ImageWriter writer(codelets().ref());
  writer.image.hostViews.push_back(ImageWriter::row(kWord, 1));
  writer.program({writer.vertex("add", {kWord, 1}), test::step(Op::Sync, 2)});
  program.images.push_back(writer.shared());
  ASSERT_TRUE(machine.load(std::move(program)).ok());

  const auto paths = sockets();
  ASSERT_EQ(paths.size(), GetParam().sockets);
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
    sendRaw(path, SOCK_STREAM);
    sendRaw(path, SOCK_DGRAM);
    sendRaw(path, SOCK_SEQPACKET);
  }
  ASSERT_TRUE(machine.run(0, handler).ok());
  std::vector<std::uint32_t> words(2);
  ASSERT_TRUE(machine.read(0, test::bytesOf(words)).ok());
  EXPECT_EQ(words, std::vector<std::uint32_t>(2, runs + 1));
  EXPECT_EQ(machine.processes(), processes);
  // IPUs meet in shared memory, and check for messages of sync points ten times a second while they
  // are idle. Only the log shows these checks, and it can be read at the end only.
  std::this_thread::sleep_for(std::chrono::seconds(1));
  started->reset();
  const std::string log = ::testing::internal::GetCapturedStderr();
  EXPECT_THAT(log, HasSubstr("messages so far, the last one")) << "of the control sockets";
  EXPECT_THAT(log, HasSubstr(GetParam().ofLinks));
  EXPECT_THAT(log, HasSubstr("dropped a sync message, number 4"));
}

} // namespace
} // namespace copse::session
