#include "parallel.hpp"

#include <algorithm>
#include <atomic>
#include <exception>
#include <ostream>
#include <sstream>
#include <thread>
#include <vector>

namespace copse::popc {
namespace {

/// Each piece starts programs that need much memory, so that more threads gain little even on a
/// large machine.
constexpr std::size_t kMostThreads = 8;

struct Outcome {
  std::ostringstream messages;
  std::exception_ptr failure;
};

} // namespace

void inParallel(std::size_t count, std::ostream &messages, const Piece &piece) {
  if (count == 1)
    return piece(0, messages);
  std::vector<Outcome> outcomes(count);
  std::atomic<std::size_t> next = 0;
  std::atomic<bool> failed = false;
  const auto work = [&] {
    // Pieces are taken in order, so that all pieces before a failed one are done or running.
    for (std::size_t i = next++; i < count && !failed; i = next++)
      try {
        piece(i, outcomes[i].messages);
      } catch (...) {
        outcomes[i].failure = std::current_exception();
        failed = true;
      }
  };
  {
    const std::size_t processors = std::max(std::thread::hardware_concurrency(), 1u);
    std::vector<std::jthread> threads;
    for (std::size_t i = 1; i < std::min({count, processors, kMostThreads}); ++i)
      threads.emplace_back(work);
    work();
  }
  for (const Outcome &outcome : outcomes) {
    messages << outcome.messages.view();
    if (outcome.failure)
      std::rethrow_exception(outcome.failure);
  }
}

} // namespace copse::popc
