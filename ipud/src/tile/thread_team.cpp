#include "tile/thread_team.hpp"

#include <string>
#include <system_error>

namespace copse::ipud {
namespace {

/// Spinning has its own limit.
constexpr auto kNoDeadline = fabric::Spinning::Clock::time_point::max();

} // namespace

ThreadTeam::ThreadTeam(unsigned threads) {
  helpers_.reserve(threads);
  try {
    for (unsigned i = 1; i < threads; ++i)
      helpers_.emplace_back([this, i] { help(i); });
  } catch (const std::system_error &error) {
    const std::size_t started = helpers_.size() + 1;
    end(); // destroying a joinable thread would end the process
    throw std::system_error(error.code(), "only " + std::to_string(started) + " of " +
                                              std::to_string(threads) + " threads can be started");
  }
}

ThreadTeam::~ThreadTeam() { end(); }

void ThreadTeam::end() {
  ending_ = true;
  wake();
  for (auto &helper : helpers_)
    helper.join();
}

void ThreadTeam::wake() {
  round_.fetch_add(1);
  round_.notify_all();
}

void ThreadTeam::run(const std::function<void(unsigned)> &work) {
  work_ = &work;
  busy_ = static_cast<std::uint32_t>(helpers_.size());
  wake();
  work(0);
  forHelpers_.until([this] { return busy_.load() == 0; }, kNoDeadline);
  for (auto left = busy_.load(); left != 0; left = busy_.load())
    busy_.wait(left);
}

void ThreadTeam::help(unsigned index) {
  fabric::Spinning forRound;
  std::uint32_t seen = 0;
  while (true) {
    forRound.until([&] { return round_.load() != seen; }, kNoDeadline);
    round_.wait(seen);
    ++seen;
    if (ending_)
      return;
    (*work_)(index);
    if (busy_.fetch_sub(1) == 1)
      busy_.notify_one();
  }
}

} // namespace copse::ipud
