#include "local_socket.hpp"
#include "temporary_folder.hpp"

#include "fabric/datagrams.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <sys/socket.h>
#include <sys/un.h>
#include <vector>

namespace copse::fabric {
namespace {

constexpr std::size_t kMostAttached = 20;

std::size_t openDescriptors() {
  std::size_t count = 0;
  for ([[maybe_unused]] const auto &entry : std::filesystem::directory_iterator("/proc/self/fd"))
    ++count;
  return count;
}

/// Sends one byte with \p count descriptors, in as many groups as may be.
void sendWithDescriptors(int socket, std::size_t count) {
  const Descriptor opened(::open("/dev/null", O_RDONLY | O_CLOEXEC));
  const std::vector<int> numbers(count, opened.number());
  std::byte byte{1};
  iovec part{&byte, 1};
  alignas(cmsghdr) std::array<std::byte, CMSG_SPACE(kMostAttached * sizeof(int))> control{};
  msghdr message{};
  message.msg_iov = &part;
  message.msg_iovlen = 1;
  if (count > 0) {
    message.msg_control = control.data();
    message.msg_controllen = CMSG_SPACE(count * sizeof(int));
    cmsghdr *const rights = CMSG_FIRSTHDR(&message);
    rights->cmsg_level = SOL_SOCKET;
    rights->cmsg_type = SCM_RIGHTS;
    rights->cmsg_len = CMSG_LEN(count * sizeof(int));
    std::memcpy(CMSG_DATA(rights), numbers.data(), count * sizeof(int));
  }
  ASSERT_EQ(::sendmsg(socket, &message, MSG_NOSIGNAL), 1);
}

Descriptor connectTo(const std::string &path, int type) {
  Descriptor socket(::socket(AF_UNIX, type | SOCK_CLOEXEC, 0));
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  path.copy(address.sun_path, sizeof address.sun_path - 1);
  EXPECT_EQ(
      ::connect(socket.number(), reinterpret_cast<const sockaddr *>(&address), sizeof address), 0);
  return socket;
}

TEST(AttachedDescriptors, AreClosedForDatagramsWithAnyNumber) {
  copse::test::TemporaryFolder folder;
  const auto inbox = DatagramInbox::bind(folder.file("inbox"));
  ASSERT_TRUE(inbox);
  const Descriptor sender = connectTo(folder.file("inbox"), SOCK_DGRAM);
  const std::size_t before = openDescriptors();
  for (std::size_t count = 0; count <= kMostAttached; ++count) {
    sendWithDescriptors(sender.number(), count);
    std::array<std::byte, 8> bytes{};
    Descriptor attached;
    ASSERT_EQ(inbox->receive(bytes, attached), 1U);
    EXPECT_EQ(static_cast<bool>(attached), count == 1) << count << " descriptors";
    sendWithDescriptors(sender.number(), count);
    ASSERT_EQ(inbox->receive(bytes), 1U) << "a receiver that wants none";
  }
  EXPECT_EQ(openDescriptors(), before);
}

TEST(AttachedDescriptors, AreClosedForConnectionsWithAnyNumber) {
  copse::test::TemporaryFolder folder;
  const Descriptor listener = local::listen(folder.file("listener"));
  const Descriptor sender = connectTo(folder.file("listener"), SOCK_SEQPACKET);
  const Descriptor receiver = local::accept(listener.number());
  ASSERT_TRUE(receiver);
  const std::size_t before = openDescriptors();
  for (std::size_t count = 0; count <= kMostAttached; ++count) {
    sendWithDescriptors(sender.number(), count);
    local::Message message;
    ASSERT_EQ(local::receive(receiver.number(), message), local::Received::Message);
    EXPECT_LE(message.descriptors.size(), count);
  }
  EXPECT_EQ(openDescriptors(), before);
}

} // namespace
} // namespace copse::fabric
