// Tests which users reach a socket that listens at a path, and where sockets listen.
#include "other_user.hpp"
#include "temporary_folder.hpp"

#include "fabric/reactor.hpp"
#include "fabric/stream_listener.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>
#include <filesystem>
#include <memory>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>
#include <vector>

namespace copse::fabric {
namespace {

namespace fs = std::filesystem;
using copse::test::reach;
using copse::test::Reached;
using ::testing::HasSubstr;

/// A listener that sends a word to every accepted peer, in a folder that all users may enter, with
/// a umask that removes no permission.
class StreamListenerTest : public ::testing::Test {
protected:
  StreamListenerTest() {
    fs::permissions(folder_.path(), fs::perms(0777));
    before_ = ::umask(0);
  }
  ~StreamListenerTest() override {
    end();
    ::umask(before_);
  }

  wire::Result<Endpoint> listen(const Endpoint &at) {
    return reactor_.call([&] {
      listener_ = std::make_unique<StreamListener>(reactor_.io());
      auto bound = listener_->bind(at);
      if (bound)
        listener_->accept([this](Descriptor socket, const std::string &) {
          (void)::send(socket.number(), "hello", 5, MSG_NOSIGNAL);
          peers_.push_back(std::move(socket));
        });
      return bound;
    });
  }
  void end() {
    reactor_.call([this] {
      peers_.clear();
      listener_.reset();
    });
  }
  mode_t mode() const {
    struct stat info {};
    return ::stat(path().c_str(), &info) == 0 ? info.st_mode & 0777 : 0;
  }
  std::string path() const { return folder_.file("socket"); }

  copse::test::TemporaryFolder folder_;

private:
  mode_t before_ = 0;
  std::unique_ptr<StreamListener> listener_;
  std::vector<Descriptor> peers_;
  Reactor reactor_{"test"};
};

TEST_F(StreamListenerTest, CreatesAFileThatIsPrivateToItsUser) {
  const auto bound = listen(Endpoint::ipc(path()));
  ASSERT_TRUE(bound.ok()) << bound.status().message;
  EXPECT_EQ(*bound, Endpoint::ipc(path()));
  EXPECT_EQ(mode(), 0600U);
  EXPECT_EQ(reach(path(), SOCK_STREAM, ::geteuid()), Reached::IsHeard);
  if (::geteuid() == 0) { // only root can become another user
    EXPECT_EQ(reach(path(), SOCK_STREAM), Reached::CannotConnect);
  }
}

TEST_F(StreamListenerTest, DisconnectsOtherUsersWhateverTheModeOfTheFile) {
  if (::geteuid() != 0)
    GTEST_SKIP() << "only root can become another user";
  ASSERT_TRUE(listen(Endpoint::ipc(path())).ok());
  fs::permissions(path(), fs::perms(0666));
  EXPECT_EQ(reach(path(), SOCK_STREAM), Reached::IsLetGo);
  EXPECT_EQ(reach(path(), SOCK_STREAM, ::geteuid()), Reached::IsHeard);
}

TEST_F(StreamListenerTest, RemovesItsFileAndThatOfAKilledProcess) {
  const pid_t killed = ::fork(); // it ends without a word
  if (killed == 0) {
    sockaddr_un address{AF_UNIX, {}};
    std::memcpy(address.sun_path, path().c_str(), path().size());
    const int socket = ::socket(AF_UNIX, SOCK_STREAM, 0);
    ::_exit(::bind(socket, reinterpret_cast<const sockaddr *>(&address), sizeof address));
  }
  ASSERT_EQ(::waitpid(killed, nullptr, 0), killed);
  ASSERT_TRUE(fs::exists(path()));
  ASSERT_TRUE(listen(Endpoint::ipc(path())).ok());
  EXPECT_TRUE(fs::exists(path()));
  end();
  EXPECT_FALSE(fs::exists(path()));
}

TEST_F(StreamListenerTest, ReportsWhyItCannotListen) {
  EXPECT_THAT(listen(Endpoint::ipc(folder_.file("none/socket"))).status().message,
              ::testing::AllOf(HasSubstr("cannot listen at 'ipc://"), HasSubstr("No such file")));
  EXPECT_THAT(listen(Endpoint::tcp("no-interface")).status().message,
              HasSubstr("address of an interface"));
  EXPECT_THAT(listen(Endpoint::tcp("192.0.2.1")).status().message, HasSubstr("Cannot assign"));
}

TEST_F(StreamListenerTest, NamesThePortThatTheSystemPicks) {
  for (const char *host : {"127.0.0.1", "localhost", "lo"}) {
    const auto bound = listen(Endpoint::tcp(host));
    ASSERT_TRUE(bound.ok()) << bound.status().message;
    EXPECT_EQ(bound->place(), "127.0.0.1");
    EXPECT_NE(bound->port(), 0);
  }
}

} // namespace
} // namespace copse::fabric
