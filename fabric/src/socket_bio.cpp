#include "socket_bio.hpp"

#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <sys/socket.h>

namespace copse::fabric {
namespace {

int socketOf(BIO *bio) {
  return static_cast<int>(reinterpret_cast<std::intptr_t>(BIO_get_data(bio)));
}

bool isTemporary() { return errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR; }

int write(BIO *bio, const char *data, std::size_t bytes, std::size_t *written) {
  BIO_clear_retry_flags(bio);
  const ssize_t size = ::send(socketOf(bio), data, bytes, MSG_NOSIGNAL | MSG_DONTWAIT);
  if (size >= 0) {
    *written = static_cast<std::size_t>(size);
    return 1;
  }
  if (isTemporary())
    BIO_set_retry_write(bio);
  return 0;
}

int read(BIO *bio, char *data, std::size_t bytes, std::size_t *got) {
  BIO_clear_retry_flags(bio);
  const ssize_t size = ::recv(socketOf(bio), data, bytes, MSG_DONTWAIT);
  if (size > 0) {
    *got = static_cast<std::size_t>(size);
    return 1;
  }
  if (size < 0 && isTemporary())
    BIO_set_retry_read(bio);
  return 0;
}

long control(BIO *, int command, long, void *) { return command == BIO_CTRL_FLUSH ? 1 : 0; }

const BIO_METHOD *method() {
  static const BIO_METHOD *const made = [] {
    BIO_METHOD *one = BIO_meth_new(BIO_get_new_index() | BIO_TYPE_SOURCE_SINK, "copse socket");
    if (one != nullptr) {
      BIO_meth_set_write_ex(one, write);
      BIO_meth_set_read_ex(one, read);
      BIO_meth_set_ctrl(one, control);
    }
    return one;
  }();
  return made;
}

} // namespace

BIO *newSocketBio(int socket) {
  BIO *const bio = method() == nullptr ? nullptr : BIO_new(method());
  if (bio == nullptr)
    return nullptr;
  // NOLINTNEXTLINE(performance-no-int-to-ptr): a BIO has a pointer to keep its descriptor in
  BIO_set_data(bio, reinterpret_cast<void *>(static_cast<std::intptr_t>(socket)));
  BIO_set_init(bio, 1);
  return bio;
}

} // namespace copse::fabric
