#include "fabric/reactor.hpp"

#include <pthread.h>

namespace copse::fabric {

Reactor::Reactor(const std::string &name)
    : work_(asio::make_work_guard(io_)), leadership_([this] { wake(); }), thread_([this] {
        for (; leadership_.awaitOwn(); leadership_.endOwn())
          io_.run_one();
      }) {
  pthread_setname_np(thread_.native_handle(), name.substr(0, 15).c_str());
}

Reactor::~Reactor() { stop(); }

void Reactor::stop() {
  io_.stop();
  leadership_.stop();
  if (thread_.joinable())
    thread_.join();
}

bool Reactor::workUntil(Clock::time_point deadline, const std::function<bool()> &done) {
  if (done())
    return true;
  const LoopLeadership::Lead lead(leadership_, deadline);
  while (!done())
    if (!lead || !workOnce(deadline))
      return done();
  return true;
}

bool Reactor::workOnce(Clock::time_point deadline) {
  return (Clock::now() < deadline ? io_.run_one_until(deadline) : io_.poll_one()) > 0;
}

} // namespace copse::fabric
