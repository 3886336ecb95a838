#include "socket_bio.hpp"

#include "openssl_library.hpp"

#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <sys/socket.h>

namespace copse::fabric {
namespace {

int socketOf(BIO *bio) {
  return static_cast<int>(reinterpret_cast<std::intptr_t>(openSsl().BIO_get_data(bio)));
}

bool isTemporary() { return errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR; }

int write(BIO *bio, const char *data, std::size_t bytes, std::size_t *written) {
  openSsl().BIO_clear_retry_flags(bio);
  const ssize_t size = ::send(socketOf(bio), data, bytes, MSG_NOSIGNAL | MSG_DONTWAIT);
  if (size >= 0) {
    *written = static_cast<std::size_t>(size);
    return 1;
  }
  if (isTemporary())
    openSsl().BIO_set_retry_write(bio);
  return 0;
}

int read(BIO *bio, char *data, std::size_t bytes, std::size_t *got) {
  openSsl().BIO_clear_retry_flags(bio);
  const ssize_t size = ::recv(socketOf(bio), data, bytes, MSG_DONTWAIT);
  if (size > 0) {
    *got = static_cast<std::size_t>(size);
    return 1;
  }
  if (size < 0 && isTemporary())
    openSsl().BIO_set_retry_read(bio);
  return 0;
}

long control(BIO *, int command, long, void *) { return command == BIO_CTRL_FLUSH ? 1 : 0; }

const BIO_METHOD *method() {
  static const BIO_METHOD *const made = [] {
    BIO_METHOD *one = openSsl().BIO_meth_new(openSsl().BIO_get_new_index() | BIO_TYPE_SOURCE_SINK,
                                             "copse socket");
    if (one != nullptr) {
      openSsl().BIO_meth_set_write_ex(one, write);
      openSsl().BIO_meth_set_read_ex(one, read);
      openSsl().BIO_meth_set_ctrl(one, control);
    }
    return one;
  }();
  return made;
}

} // namespace

BIO *newSocketBio(int socket) {
  BIO *const bio = method() == nullptr ? nullptr : openSsl().BIO_new(method());
  if (bio == nullptr)
    return nullptr;
  // NOLINTNEXTLINE(performance-no-int-to-ptr): a BIO has a pointer to keep its descriptor in
  openSsl().BIO_set_data(bio, reinterpret_cast<void *>(static_cast<std::intptr_t>(socket)));
  openSsl().BIO_set_init(bio, 1);
  return bio;
}

} // namespace copse::fabric
