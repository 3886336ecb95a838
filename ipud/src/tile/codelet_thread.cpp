#include "tile/codelet_thread.hpp"

#include "tile/native_supervisor.hpp"
#include "tile/services_of_thread.hpp"

#include "wire/vertex_cycles.hpp"

#include <algorithm>
#include <csetjmp>
#include <memory>
#include <random>
#include <utility>

namespace copse::ipud {

CodeletThread &CodeletThread::current() {
  // A pointer, because a library that is opened by a running program has little room for
  // thread-local data.
  thread_local const std::unique_ptr<CodeletThread> thread(new CodeletThread);
  return *thread;
}

CodeletThread::CodeletThread() { serveThisThread(&context_); }

CodeletThread::~CodeletThread() { serveThisThread(nullptr); }

void CodeletThread::begin(const Vertices &vertices, std::uint64_t epoch) {
  context_.signals.begin(epoch);
  context_.running.vertices = &vertices;
  context_.running.started.reset();
  context_.guard.begin(vertices.memory);
  context_.registers.begin();
  if (vertices.code != nullptr)
    context_.processor.emplace(vertices.code->cache, vertices.code->workerLimit);
  else if (vertices.modules != nullptr && !vertices.modules->assembly().empty())
    context_.processor.emplace(vertices.modules->assembly().cache());
  context_.watch.begin(vertices);
  if (vertices.checks != nullptr && context_.processor)
    context_.processor->setObserver(&context_.watch);
}

bool CodeletThread::call(const Vertices &vertices, std::uint32_t first, std::uint32_t last,
                         std::uint64_t epoch, bool &result) {
  begin(vertices, epoch);
  const NativeRegisters::TrapsOff withoutTraps(context_.registers);
  const ParityGuard::UntilTheEnd guarded(context_.guard);
  sigjmp_buf here;
  if (sigsetjmp(here, 0) != 0)
    return false;
  context_.exit.open(here);
  try {
    result = callTiles(vertices, first, last);
  } catch (const LeftCodelet &) {
    return false; // CodeletExit::record() has recorded the reason
  } catch (...) {
    context_.exit.recordException();
    return false;
  }
  context_.exit.close();
  return true;
}

void CodeletThread::enterTile(const wire::TileVertices &run) {
  RunningVertex &running = context_.running;
  running.tile = run.tile;
  running.run = &run;
  context_.guard.open();
  context_.registers.enterTile();
  if (running.vertices->memory.hasErrors()) [[unlikely]]
    context_.guard.guard(run.tile);
}

/// Prefetches the state of a tile's first vertex while the previous tile runs. Tiles lie far apart,
/// so the processor cannot predict the next state. The state locates all data of the vertex, so a
/// miss delays everything.
void prepareTile(const Vertices &vertices, const wire::TileVertices &run) {
  constexpr std::size_t kLine = 64;
  const std::byte *const state =
      vertices.memory.at(run.tile, vertices.set.vertices[run.first].address);
  __builtin_prefetch(state);
  __builtin_prefetch(state + kLine);
}

/// Calls \p f(WorkerCall) for each call that the vertices of a tile need, in order. Vertices are
/// assigned to workers in turn. A MultiVertex is called for each worker, but tile code once for all
/// of them.
void eachCall(const Vertices &vertices, const wire::TileVertices &run, const auto &f) {
  const std::uint32_t workers = vertices.memory.geometry().workers;
  std::uint32_t next = 0; // worker
  for (std::uint32_t number = run.first; number < run.first + run.count; ++number) {
    const EntryPoint &function = vertices.functions[vertices.set.vertices[number].function];
    if (!function.multiVertex)
      f(WorkerCall{number, next, 1});
    else if (wire::isTileCode(function.kind))
      f(WorkerCall{number, 0, kWorkers});
    else
      for (std::uint32_t worker = 0; worker < workers; ++worker)
        f(WorkerCall{number, worker, 1});
    next = next + 1 == workers ? 0 : next + 1;
  }
}

[[gnu::noinline]] bool CodeletThread::callTiles(const Vertices &vertices, std::uint32_t first,
                                                std::uint32_t last) {
  const bool isPlain =
      vertices.orderSeed == 0 && vertices.checks == nullptr && vertices.stops == nullptr;
  bool all = true;
  for (std::uint32_t t = first; t < last; ++t) {
    const auto &run = vertices.set.tiles[t];
    if (vertices.arrivals != nullptr)
      vertices.arrivals->arrive(t);
    if (t + 1 < last)
      prepareTile(vertices, vertices.set.tiles[t + 1]);
    enterTile(run);
    if (isPlain) [[likely]]
      eachCall(vertices, run, [&](const WorkerCall &call) { all &= callVertex(vertices, call); });
    else
      all &= callListed(vertices, run);
  }
  return all;
}

/// Calls a vertex for one worker, or tile code for several.
inline bool CodeletThread::callVertex(const Vertices &vertices, const WorkerCall &call) {
  RunningVertex &running = context_.running;
  const wire::VertexRecord &vertex = vertices.set.vertices[call.vertex];
  const EntryPoint &function = vertices.functions[vertex.function];
  running.vertex.store(&vertex, std::memory_order_relaxed);
  running.worker.store(call.worker, std::memory_order_relaxed);
  bool result = true;
  if (wire::isTileCode(function.kind))
    result = tileCode_.call(call.vertex, call.worker, call.workers);
  else if (function.kind == wire::CodeKind::NativeSupervisor)
    result = runNativeSupervisor(context_);
  else
    result = function.entry(vertices.memory.at(running.tile, vertex.address),
                            function.multiVertex ? call.worker : 0);
  leaveVertex(vertex);
  return result;
}

/// Calls the vertices of a tile in the order of Vertices::orderSeed, with their observers.
bool CodeletThread::callListed(const Vertices &vertices, const wire::TileVertices &run) {
  listCalls(vertices, run);
  const bool checked = vertices.checks != nullptr;
  if (checked)
    context_.watch.enterTile();
  bool all = true;
  for (std::size_t i = 0; i < calls_.size(); ++i) {
    const WorkerCall &call = calls_[i];
    if (checked && (i == 0 || calls_[i - 1].vertex != call.vertex))
      context_.watch.enterVertex(call.vertex);
    if (vertices.stops != nullptr)
      vertices.stops->enter({run.tile, call.vertex, call.worker, vertices.memory.at(run.tile, 0)});
    all &= callVertex(vertices, call);
    if (checked && (i + 1 == calls_.size() || calls_[i + 1].vertex != call.vertex))
      context_.watch.leaveVertex();
  }
  return all;
}

/// Fills calls_. Checks of accesses compare the workers of a vertex with each other, so in that
/// case the calls of a vertex stay together, and tile code is called once for all workers.
void CodeletThread::listCalls(const Vertices &vertices, const wire::TileVertices &run) {
  const bool checked = vertices.checks != nullptr;
  const bool shuffled = vertices.orderSeed != 0;
  calls_.clear();
  eachCall(vertices, run, [&](const WorkerCall &call) {
    if (!shuffled || checked)
      calls_.push_back(call);
    else
      for (std::uint32_t worker = 0; worker < call.workers; ++worker)
        calls_.push_back({call.vertex, call.worker + worker, 1});
  });
  if (!shuffled)
    return;
  std::mt19937_64 random(vertices.orderSeed + run.tile);
  for (std::size_t left = calls_.size(); left > 1; --left)
    std::swap(calls_[left - 1], calls_[random() % left]);
  if (checked)
    std::ranges::stable_sort(calls_, {}, [&](const WorkerCall &call) {
      return (call.vertex * 0x9E3779B97F4A7C15ULL) ^ vertices.orderSeed;
    });
}

/// Records that one call of the vertex has returned.
inline void CodeletThread::leaveVertex(const wire::VertexRecord &vertex) {
  const Vertices &vertices = *context_.running.vertices;
  if (wire::isCounted(vertex.cycles) && !vertices.cycles.empty()) {
    std::uint64_t &cycles =
        vertices.cycles[static_cast<std::size_t>(&vertex - vertices.set.vertices.data())];
    cycles = std::max(cycles, context_.registers.cycles());
  }
  context_.registers.leaveVertex();
}

} // namespace copse::ipud
