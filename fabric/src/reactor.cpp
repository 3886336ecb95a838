#include "fabric/reactor.hpp"

#include <pthread.h>

namespace copse::fabric {

Reactor::Reactor(const std::string &name)
    : work_(asio::make_work_guard(io_)), thread_([this] { io_.run(); }) {
  pthread_setname_np(thread_.native_handle(), name.substr(0, 15).c_str());
}

Reactor::~Reactor() { stop(); }

void Reactor::stop() {
  io_.stop();
  if (thread_.joinable())
    thread_.join();
}

} // namespace copse::fabric
