#pragma once

#include "control/debug_state.hpp"
#include "control/loaded.hpp"
#include "control/step_observer.hpp"
#include "tile/vertex_stops.hpp"
#include "tile/vertex_trace.hpp"

#include "ipud/debug_options.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace copse::ipud {

/// Stops one IPU for a debugger: before calls of certain vertices, and between instructions of tile code.
///
/// At the first stop it leaves DIRECTORY/code.json, the code of the tiles, and DIRECTORY/stop.json, which says which process
/// this is and where DebugState is (docs/debugging.md), and waits for a debugger to attach. Of all IPUs with that directory only the first
/// one does; the others never stop. Each stop is a call of a function that does nothing, on which debuggers have a breakpoint.
/// In DebugState they find what stopped, and write there what is to stop next.
///
/// Thread: the one that calls vertices. A process has one that has stopped, if any.
class VertexDebugger : public VertexStops, public VertexTrace, public StepObserver {
public:
  /// \param loaded  stays
  VertexDebugger(const DebugOptions &options, const Loaded &loaded);

  /// Whether this IPU may be one to stop.
  static bool wantsIpu(const DebugOptions &options, const PlaceInPartition &placement);

  void beginComputeSet(std::uint32_t index, Vertices &vertices) override;

  void enter(const VertexCall &call) override;
  /// Whether any instruction of the vertex at hand may stop.
  bool wants(std::uint32_t tile) const override;
  void enter(std::uint32_t, const wire::VertexRecord &) override {}
  void leave(std::uint64_t cycles) override;
  void issue(const Core &core, unsigned context) override;

private:
  bool matches(std::uint32_t function) const;
  bool isBreakpoint(std::uint32_t address) const;
  void describeCall(const VertexCall &call);
  void describeInstruction(const Core &core, unsigned context);
  std::string lineOf(std::uint32_t address) const;
  void listVertices() const;
  /// Until a debugger is there, or gave up.
  void stop();
  bool beFirst() const;
  void leaveWord() const;

  const DebugOptions options_;
  const Loaded &loaded_;
  const wire::ComputeSet *computeSet_ = nullptr;
  DebugState state_;
  std::byte *slot_ = nullptr;
  bool isOver_ = false;       ///< another IPU is debugged
  bool hasStopped_ = false;   ///< a debugger was asked for
  bool stopsAtFirst_ = false; ///< the first instruction of the tile code at hand stops
};

} // namespace copse::ipud
