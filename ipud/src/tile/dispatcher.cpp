#include "tile/dispatcher.hpp"

#include <algorithm>

namespace copse::ipud {
namespace {

/// The number of tiles that a thread takes at once: enough to make the counter cheap, few enough
/// for balance.
constexpr std::uint32_t kTilesAtOnce = 16;

} // namespace

Dispatcher::Dispatcher(ThreadTeam &team) : team_(team), threads_(team_.threads(), nullptr) {
  team_.run([this](unsigned index) {
    if (index == 0)
      return; // the caller of run() may be another thread, see attachCaller()
    const locks::Lock lock(mutex_);
    threads_[index] = &CodeletThread::current();
  });
}

void Dispatcher::attachCaller() {
  const locks::Lock lock(mutex_);
  threads_[0] = &CodeletThread::current();
}

void Dispatcher::detachCaller() {
  const locks::Lock lock(mutex_);
  threads_[0] = nullptr;
}

Dispatcher::Outcome Dispatcher::run(const Vertices &vertices, bool share) {
  Outcome outcome;
  nextTile_.store(0, std::memory_order_relaxed);
  failed_.store(false, std::memory_order_relaxed);
  epoch_.fetch_add(1);
  if (share && team_.threads() > 1)
    team_.run([&](unsigned) { work(vertices, kTilesAtOnce, outcome); });
  else
    work(vertices, static_cast<std::uint32_t>(vertices.set.tiles.size()), outcome);
  epoch_.fetch_add(1);
  return outcome;
}

void Dispatcher::work(const Vertices &vertices, std::uint32_t tilesAtOnce, Outcome &outcome) {
  auto &thread = CodeletThread::current();
  const auto tiles = static_cast<std::uint32_t>(vertices.set.tiles.size());
  const auto epoch = epoch_.load(std::memory_order_relaxed);
  bool all = true;
  while (!failed_.load(std::memory_order_relaxed)) {
    const auto first = nextTile_.fetch_add(tilesAtOnce, std::memory_order_relaxed);
    if (first >= tiles)
      break;
    bool result = true;
    if (!thread.call(vertices, first, std::min(tiles, first + tilesAtOnce), epoch, result)) {
      note(thread.fault(), outcome);
      break;
    }
    all &= result;
  }
  if (!all) {
    const locks::Lock lock(mutex_);
    outcome.all = false;
  }
}

/// Tiles are handed out in order and a started tile is finished, so the first fault of all is
/// always among the reported ones.
void Dispatcher::note(const CodeletFault &fault, Outcome &outcome) {
  failed_.store(true, std::memory_order_relaxed);
  const locks::Lock lock(mutex_);
  if (!outcome.fault || fault.vertex < outcome.fault->vertex)
    outcome.fault = fault;
}

void Dispatcher::interrupt(std::uint64_t epoch) {
  const locks::Lock lock(mutex_);
  for (auto *const thread : threads_)
    if (thread != nullptr && epoch_.load() == epoch)
      thread->interrupt(epoch);
}

} // namespace copse::ipud
