// Who reaches a ZeroMQ socket that listens at a path.
#include "other_user.hpp"
#include "temporary_folder.hpp"

#include "fabric/listen.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>
#include <filesystem>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

namespace copse::fabric {
namespace {

namespace fs = std::filesystem;
using test::reach;
using test::Reached;
using ::testing::HasSubstr;

/// In a folder that everybody may enter, with a umask that takes nothing away.
class Listen : public ::testing::Test {
protected:
  Listen() {
    fs::permissions(folder_.path(), fs::perms(0777));
    before_ = ::umask(0);
  }
  ~Listen() override { ::umask(before_); }

  mode_t mode() const {
    struct stat info {};
    return ::stat(path().c_str(), &info) == 0 ? info.st_mode & 0777 : 0;
  }
  std::string path() const { return folder_.file("socket"); }
  std::string endpoint() const { return "ipc://" + path(); }

  test::TemporaryFolder folder_;
  zmq::context_t context_{1};

private:
  mode_t before_ = 0;
};

TEST_F(Listen, MakesAFileOfItsUserAlone) {
  zmq::socket_t socket(context_, zmq::socket_type::pull);
  const auto place = listen(socket, endpoint());
  ASSERT_TRUE(place.ok()) << place.status().message;
  EXPECT_EQ(place->endpoint(), endpoint());
  EXPECT_EQ(mode(), 0600U);
  EXPECT_EQ(reach(path(), SOCK_STREAM, ::geteuid()), Reached::IsHeard);
  if (::geteuid() == 0) { // only root can become another user
    EXPECT_EQ(reach(path(), SOCK_STREAM), Reached::CannotConnect);
  }
}

TEST_F(Listen, LetsPeersOfOtherUsersGoWhateverTheFile) {
  if (::geteuid() != 0)
    GTEST_SKIP() << "only root can become another user";
  zmq::socket_t socket(context_, zmq::socket_type::pull);
  const auto place = listen(socket, endpoint());
  ASSERT_TRUE(place.ok()) << place.status().message;
  fs::permissions(path(), fs::perms(0666));
  EXPECT_EQ(reach(path(), SOCK_STREAM), Reached::IsLetGo);
  EXPECT_EQ(reach(path(), SOCK_STREAM, ::geteuid()), Reached::IsHeard);
}

TEST_F(Listen, CarriesMessages) {
  zmq::socket_t in(context_, zmq::socket_type::pull), out(context_, zmq::socket_type::push);
  const auto place = listen(in, endpoint());
  ASSERT_TRUE(place.ok()) << place.status().message;
  in.set(zmq::sockopt::rcvtimeo, 10'000);
  out.connect(place->endpoint());
  out.send(zmq::str_buffer("hello"));
  zmq::message_t frame;
  ASSERT_TRUE(in.recv(frame));
  EXPECT_EQ(frame.to_string(), "hello");
}

TEST_F(Listen, TakesTheFileAwayAtTheEndAndThatOfAKilledProcessAtTheBeginning) {
  const pid_t killed = ::fork(); // it ends without a word
  if (killed == 0) {
    sockaddr_un address{AF_UNIX, {}};
    std::memcpy(address.sun_path, path().c_str(), path().size());
    const int socket = ::socket(AF_UNIX, SOCK_STREAM, 0);
    ::_exit(::bind(socket, reinterpret_cast<const sockaddr *>(&address), sizeof address));
  }
  ASSERT_EQ(::waitpid(killed, nullptr, 0), killed);
  ASSERT_TRUE(fs::exists(path()));
  {
    zmq::socket_t socket(context_, zmq::socket_type::pull);
    const auto place = listen(socket, endpoint());
    ASSERT_TRUE(place.ok()) << place.status().message;
    socket.close();
    EXPECT_TRUE(fs::exists(path()));
  }
  EXPECT_FALSE(fs::exists(path()));
}

TEST_F(Listen, SaysWhyItCannot) {
  zmq::socket_t socket(context_, zmq::socket_type::pull);
  const auto place = listen(socket, "ipc://" + folder_.file("none/socket"));
  EXPECT_THAT(place.status().message,
              ::testing::AllOf(HasSubstr("cannot listen at 'ipc://"), HasSubstr("No such file")));
}

TEST_F(Listen, NamesThePortThatTheSystemPicks) {
  zmq::socket_t socket(context_, zmq::socket_type::pull);
  const auto place = listen(socket, "tcp://127.0.0.1:*");
  ASSERT_TRUE(place.ok()) << place.status().message;
  EXPECT_THAT(place->endpoint(), ::testing::MatchesRegex("tcp://127.0.0.1:[0-9]+"));
}

} // namespace
} // namespace copse::fabric
