#pragma once

#include "fabric/spinning.hpp"

#include <atomic>
#include <cstdint>
#include <functional>
#include <thread>
#include <vector>

namespace copse::ipud {

/// Runs one function on several threads: the caller and `threads` - 1 helpers. Calls follow each
/// other closely while a program runs, so helpers spin briefly for the next call, if a core is
/// free, before they sleep.
class ThreadTeam {
public:
  /// \throws std::system_error if the system grants fewer threads; those are joined
  explicit ThreadTeam(unsigned threads);
  ~ThreadTeam();

  unsigned threads() const { return static_cast<unsigned>(helpers_.size()) + 1; }

  /// Calls work(i) once on each thread, i = 0 on the caller's, and returns when all have returned.
  void run(const std::function<void(unsigned)> &work);

private:
  void help(unsigned index);
  void wake();
  void end();

  std::atomic<std::uint32_t> round_{0}; ///< counts calls of run(); a change wakes the helpers
  std::atomic<std::uint32_t> busy_{0};  ///< helpers that have not finished this round
  std::atomic<bool> ending_{false};
  const std::function<void(unsigned)> *work_ = nullptr; ///< work of this round; published by round_
  fabric::Spinning forHelpers_;                         ///< used by the caller of run()
  std::vector<std::thread> helpers_;
};

} // namespace copse::ipud
