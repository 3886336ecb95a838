// Fuzzes the bytes of unauthenticated peers at the port of links with keys.
#include "fuzzing.hpp"
#include "tls_handshake.hpp"

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <sys/socket.h>
#include <unistd.h>

namespace {

using namespace copse;

const fabric::TlsContext &server() {
  static const fabric::TlsContext context([] {
    const fabric::KeyPair own = fabric::newKeyPair(), other = fabric::newKeyPair();
    return std::make_shared<fabric::Keyring>(
        "ipu-0", own,
        std::map<std::string, std::string>{{"ipu-0", own.publicKey}, {"ipu-1", other.publicKey}});
  }());
  return context;
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t *data, std::size_t size) {
  int ends[2];
  fuzz::require(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) == 0,
                "a pair of sockets");
  {
    auto handshake = fabric::TlsHandshake::server(server(), ends[0]);
    // The bytes arrive in two parts.
    for (const std::size_t end : {size / 2, size}) {
      const std::size_t begin = end == size ? size / 2 : 0;
      (void)::send(ends[1], data + begin, end - begin, MSG_DONTWAIT | MSG_NOSIGNAL);
      fuzz::require(handshake.step() != fabric::TlsHandshake::Step::Done,
                    "nobody gets in without a key");
    }
  }
  ::close(ends[0]);
  ::close(ends[1]);
  return 0;
}
