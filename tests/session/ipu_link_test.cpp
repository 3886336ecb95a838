#include "ipu_link.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <future>
#include <optional>
#include <thread>

namespace copse::session {
namespace {

using namespace std::chrono_literals;

TEST(IpuLink, MayGoWhenItsNextHeartbeatIsDueAlready) {
  zmq::context_t context;
  fabric::Reactor reactor("test");
  std::optional<IpuLink> link;
  std::promise<void> gone;
  reactor.call([&] {
    link.emplace(reactor, context, "ipu 0", -1, 4ms, IpuLink::Handlers{[](auto) {}, [](auto &) {}});
    ASSERT_TRUE(link->connect("inproc://nobody", nullptr, "").ok());
    std::this_thread::sleep_for(5ms);
    // Behind this turn the loop looks at its timers; the second one finds the beat behind it.
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
