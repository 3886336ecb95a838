#include "tile/thread_team.hpp"

namespace copse::ipud {

ThreadTeam::ThreadTeam(unsigned threads) {
  for (unsigned i = 1; i < threads; ++i)
    helpers_.emplace_back([this, i] { help(i); });
}

ThreadTeam::~ThreadTeam() {
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
  for (auto left = busy_.load(); left != 0; left = busy_.load())
    busy_.wait(left);
}

void ThreadTeam::help(unsigned index) {
  std::uint32_t seen = 0;
  while (true) {
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
