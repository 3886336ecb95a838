#include "ipu_link.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <future>
#include <optional>
#include <thread>

namespace copse::session {
namespace {

using namespace std::chrono_literals;

TEST(IpuLink, MayBeDestroyedWhileAHeartbeatIsDue) {
  zmq::context_t context;
  fabric::Reactor reactor("test");
  std::optional<IpuLink> link;
  std::promise<void> gone;
  reactor.call([&] {
    link.emplace(reactor, context, "ipu 0", -1, 4ms, IpuLink::Handlers{[](auto) {}, [](auto &) {}});
    ASSERT_TRUE(link->connect("inproc://nobody", nullptr, "").ok());
    std::this_thread::sleep_for(5ms);
    // After this work the loop checks its timers; the second work finds that the heartbeat has been
    // sent.
    reactor.post([&] {
      reactor.post([&] {
        link.reset();
        reactor.post([&] { gone.set_value(); });
      });
    });
  });
  gone.get_future().wait();
}

} // namespace
} // namespace copse::session
