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
  // Not the object itself: a library that a running program opens has little room for such data.
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
    return false; // CodeletExit::record() has said why
  } catch (...) {
    context_.exit.record(CodeletFault::Kind::Exception);
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

/// Fetches the state of a tile's first vertex while the tile before it runs: tiles lie far apart, so nothing else
/// foretells where the next state is. It and the words that follow it tell a vertex where all its data are, so a miss
/// delays everything.
void prepareTile(const Vertices &vertices, const wire::TileVertices &run) {
  constexpr std::size_t kLine = 64;
  const std::byte *const state =
      vertices.memory.at(run.tile, vertices.set.vertices[run.first].address);
  __builtin_prefetch(state);
  __builtin_prefetch(state + kLine);
}

[[gnu::noinline]] bool CodeletThread::callTiles(const Vertices &vertices, std::uint32_t first,
                                                std::uint32_t last) {
  const EntryPoint *const functions = vertices.functions.data();
  const std::uint32_t workers = vertices.memory.geometry().workers;
  RunningVertex &running = context_.running;
  bool all = true;
  for (std::uint32_t t = first; t < last; ++t) {
    const auto &run = vertices.set.tiles[t];
    if (vertices.arrivals != nullptr)
      vertices.arrivals->arrive(t);
    if (t + 1 < last)
      prepareTile(vertices, vertices.set.tiles[t + 1]);
    enterTile(run);
    if (vertices.checks != nullptr || vertices.stops != nullptr) [[unlikely]] {
      all &= callObserved(vertices, run);
      continue;
    }
    if (vertices.orderSeed != 0) {
      all &= callShuffled(vertices, run);
      continue;
    }
    std::byte *const slot = vertices.memory.at(run.tile, 0);
    const auto *vertex = vertices.set.vertices.data() + run.first;
    const auto *const firstOfTile = vertex;
    const auto *const end = vertex + run.count;
    for (; vertex != end; ++vertex) {
      const EntryPoint function = functions[vertex->function];
      running.vertex.store(vertex, std::memory_order_relaxed);
      if (wire::isTileCode(function.kind)) {
        // Vertices are dealt to the workers in order; a MultiVertex has all of them.
        const auto index = static_cast<std::uint32_t>(vertex - firstOfTile);
        all &= tileCode_.call(run.first + index, function.multiVertex ? 0 : index % kWorkers,
                              function.multiVertex ? kWorkers : 1);
        continue;
      }
      if (function.kind == wire::CodeKind::NativeSupervisor) {
        all &= runNativeSupervisor(context_);
        leaveVertex(*vertex);
        continue;
      }
      if (!function.multiVertex) {
        all &= function.entry(slot + vertex->address, 0);
        leaveVertex(*vertex);
        continue;
      }
      for (std::uint32_t worker = 0; worker < workers; ++worker) {
        running.worker.store(worker, std::memory_order_relaxed);
        all &= function.entry(slot + vertex->address, worker);
        leaveVertex(*vertex);
      }
    }
  }
  return all;
}

/// The same with the vertices' accesses checked, or with somebody who hears of each call.
bool CodeletThread::callObserved(const Vertices &vertices, const wire::TileVertices &run) {
  const std::uint32_t workers = vertices.memory.geometry().workers;
  RunningVertex &running = context_.running;
  const bool checked = vertices.checks != nullptr;
  if (checked)
    context_.watch.enterTile();
  const auto announce = [&](std::uint32_t number, std::uint32_t worker) {
    if (vertices.stops != nullptr)
      vertices.stops->enter({run.tile, number, worker, vertices.memory.at(run.tile, 0)});
  };
  bool all = true;
  for (std::uint32_t index = 0; index < run.count; ++index) {
    const std::uint32_t number = run.first + index;
    const wire::VertexRecord &vertex = vertices.set.vertices[number];
    const EntryPoint &function = vertices.functions[vertex.function];
    running.vertex.store(&vertex, std::memory_order_relaxed);
    if (checked)
      context_.watch.enterVertex(number);
    if (wire::isTileCode(function.kind)) {
      announce(number, function.multiVertex ? 0 : index % kWorkers);
      all &= tileCode_.call(number, function.multiVertex ? 0 : index % kWorkers,
                            function.multiVertex ? kWorkers : 1);
    } else {
      const bool isSupervisor = function.kind == wire::CodeKind::NativeSupervisor;
      for (std::uint32_t worker = 0; worker < (function.multiVertex ? workers : 1); ++worker) {
        running.worker.store(worker, std::memory_order_relaxed);
        announce(number, function.multiVertex ? worker : index % workers);
        all &= isSupervisor ? runNativeSupervisor(context_)
                            : function.entry(vertices.memory.at(run.tile, vertex.address), worker);
        leaveVertex(vertex);
      }
    }
    if (checked)
      context_.watch.leaveVertex();
  }
  return all;
}

/// One call of it has returned.
inline void CodeletThread::leaveVertex(const wire::VertexRecord &vertex) {
  const Vertices &vertices = *context_.running.vertices;
  if (wire::isCounted(vertex.cycles) && !vertices.cycles.empty()) {
    std::uint64_t &cycles =
        vertices.cycles[static_cast<std::size_t>(&vertex - vertices.set.vertices.data())];
    cycles = std::max(cycles, context_.registers.cycles());
  }
  context_.registers.leaveVertex();
}

/// Into calls_: all of the tile's vertices, a MultiVertex once for each worker.
void CodeletThread::listCalls(const Vertices &vertices, const wire::TileVertices &run) {
  const std::uint32_t workers = vertices.memory.geometry().workers;
  calls_.clear();
  for (std::uint32_t index = 0; index < run.count; ++index) {
    const std::uint32_t number = run.first + index;
    const EntryPoint &function = vertices.functions[vertices.set.vertices[number].function];
    if (!function.multiVertex)
      calls_.push_back({number, index % workers});
    for (std::uint32_t worker = 0; function.multiVertex && worker < workers; ++worker)
      calls_.push_back({number, worker});
  }
}

bool CodeletThread::callShuffled(const Vertices &vertices, const wire::TileVertices &run) {
  listCalls(vertices, run);
  std::mt19937_64 random(vertices.orderSeed + run.tile);
  for (std::size_t left = calls_.size(); left > 1; --left)
    std::swap(calls_[left - 1], calls_[random() % left]);
  RunningVertex &running = context_.running;
  bool all = true;
  for (const WorkerCall call : calls_) {
    const wire::VertexRecord &vertex = vertices.set.vertices[call.vertex];
    const EntryPoint &function = vertices.functions[vertex.function];
    running.vertex.store(&vertex, std::memory_order_relaxed);
    running.worker.store(call.worker, std::memory_order_relaxed);
    if (wire::isTileCode(function.kind)) {
      all &= tileCode_.call(call.vertex, call.worker, 1);
      context_.registers.leaveVertex();
      continue;
    }
    all &= function.kind == wire::CodeKind::NativeSupervisor
               ? runNativeSupervisor(context_)
               : function.entry(vertices.memory.at(run.tile, vertex.address),
                                function.multiVertex ? call.worker : 0);
    leaveVertex(vertex);
  }
  return all;
}

} // namespace copse::ipud
