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

/// Stops one IPU for a debugger: before calls of certain vertices, and between instructions of tile
/// code.
///
/// At the first stop, the IPU writes DIRECTORY/code.json, the code of the tiles, and
/// DIRECTORY/stop.json, which names this process and the location of DebugState
/// (docs/debugging.md), and waits until a debugger attaches. Among all IPUs with this directory,
/// only the first one to stop does so. Each stop calls an empty function on which debuggers have a
/// breakpoint. DebugState tells the debugger where the IPU has stopped, and the debugger writes
/// there where to stop next.
///
/// Thread: the one that calls vertices. At most one debugger object per process ever stops.
class VertexDebugger : public VertexStops, public VertexTrace, public StepObserver {
public:
  /// \param loaded  is kept by reference
  VertexDebugger(const DebugOptions &options, const Loaded &loaded);

  /// Returns true if this IPU may stop.
  static bool wantsIpu(const DebugOptions &options, const PlaceInPartition &placement);

  void beginComputeSet(std::uint32_t index, Vertices &vertices) override;

  void enter(const VertexCall &call) override;
  /// Returns true if an instruction of the current vertex may stop.
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
  /// Waits until a debugger attaches, or until the wait times out.
  void stop();
  bool beFirst() const;
  void leaveWord() const;

  const DebugOptions options_;
  const Loaded &loaded_;
  const wire::ComputeSet *computeSet_ = nullptr;
  DebugState state_;
  std::byte *slot_ = nullptr;
  bool isOver_ = false;       ///< another IPU is being debugged
  bool hasStopped_ = false;   ///< the debugger was notified
  bool stopsAtFirst_ = false; ///< stop at the first instruction of the current tile code
};

} // namespace copse::ipud
