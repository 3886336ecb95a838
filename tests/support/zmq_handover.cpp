// Tells thread sanitizer that the sending of a message happens before its receipt, which it does
// not see because libzmq is not instrumented. The tsan preset links these wrappers around libzmq's
// calls (--wrap).
#include <zmq.h>

#include <cstddef>
#include <sanitizer/tsan_interface.h>

extern "C" {
int __real_zmq_msg_send(zmq_msg_t *message, void *socket, int flags);
int __real_zmq_msg_recv(zmq_msg_t *message, void *socket, int flags);
int __real_zmq_send(void *socket, const void *bytes, std::size_t size, int flags);
int __real_zmq_recv(void *socket, void *bytes, std::size_t size, int flags);

namespace {
// Returns one address within libzmq, which is the same in every shared object: a single
// synchronisation point for all sockets.
void *handover() { return reinterpret_cast<void *>(&__real_zmq_msg_send); }
} // namespace

int __wrap_zmq_msg_send(zmq_msg_t *message, void *socket, int flags) {
  __tsan_release(handover());
  return __real_zmq_msg_send(message, socket, flags);
}

int __wrap_zmq_msg_recv(zmq_msg_t *message, void *socket, int flags) {
  const int received = __real_zmq_msg_recv(message, socket, flags);
  __tsan_acquire(handover());
  return received;
}

int __wrap_zmq_send(void *socket, const void *bytes, std::size_t size, int flags) {
  __tsan_release(handover());
  return __real_zmq_send(socket, bytes, size, flags);
}

int __wrap_zmq_recv(void *socket, void *bytes, std::size_t size, int flags) {
  const int received = __real_zmq_recv(socket, bytes, size, flags);
  __tsan_acquire(handover());
  return received;
}
}
