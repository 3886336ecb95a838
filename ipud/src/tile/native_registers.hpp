#pragma once

#include "processor/core.hpp"
#include "processor/slots.hpp"
#include "processor/tile_processor.hpp"
#include "tile/codelet_exit.hpp"
#include "tile/codelet_signals.hpp"
#include "tile/floating_point_traps.hpp"
#include "tile/register_words.hpp"
#include "tile/running_vertex.hpp"

#include <cstdint>
#include <optional>

namespace copse::ipud {

/// The cycle counter of the native code of the current vertex.
struct CycleCount {
  /// [worker cycles]. Initial-exec, so that it has one offset from the thread pointer on every
  /// thread (wire::CycleOffset).
  [[gnu::tls_model("initial-exec")]] static constinit thread_local unsigned long long ofThread;
};

/// The matrix unit of the current tile.
struct MatrixOfTile {
  Weights &weights;
  std::uint32_t &address;        ///< $CCCSLOAD
  std::uint32_t &format, &scale; ///< $FP_INFMT, $FP_ISCL
};

inline constexpr std::uint32_t kWeightAddressMask = 0xFFFFF; ///< bits of $CCCSLOAD

/// The control and status registers that native code sees, of the worker whose vertex runs and of
/// its tile. The registers determine how the vertex computes with floating-point numbers.
///
/// Life: begin() for a compute set, enterTile() for each tile, leaveVertex() after each vertex.
///
/// Thread: the one that runs the vertices.
class NativeRegisters {
public:
  /// Keeps references to its arguments.
  NativeRegisters(const RunningVertex &running, CodeletExit &exit, CodeletSignals &signals)
      : running_(running), exit_(exit), signals_(signals) {}

  void begin();
  void enterTile();
  /// Ends a vertex: each launch of a worker begins with $FP_ICTL.
  void leaveVertex() {
    assemblyCycles_ = 0;
    CycleCount::ofThread = 0;
    if (isWritten_) [[unlikely]]
      restore();
  }

  /// Undoes trapOn(), however the codelets are left.
  class TrapsOff {
  public:
    explicit TrapsOff(const NativeRegisters &registers)
        : registers_(registers), mayStop_(registers.file().mayStop()) {}
    ~TrapsOff() {
      if (mayStop_ || registers_.isWritten_)
        trapOn(0);
    }
    TrapsOff(const TrapsOff &) = delete;
    TrapsOff &operator=(const TrapsOff &) = delete;

  private:
    const NativeRegisters &registers_;
    const bool mayStop_;
  };
  /// While this object exists, our own arithmetic does not trap.
  class Untrapped {
  public:
    explicit Untrapped(const NativeRegisters &registers) : registers_(registers) {
      if (registers_.floatingPoint_.stops != 0)
        trapOn(0);
    }
    ~Untrapped() {
      if (registers_.floatingPoint_.stops != 0)
        trapOn(registers_.floatingPoint_.stops);
    }
    Untrapped(const Untrapped &) = delete;
    Untrapped &operator=(const Untrapped &) = delete;

  private:
    const NativeRegisters &registers_;
  };

  // Services for codelets: wire/codelet_abi.hpp.
  unsigned read(unsigned index);
  void write(unsigned index, unsigned value);
  unsigned short roundToHalf(float x);

  const FloatingPoint &floatingPoint() const { return floatingPoint_; }
  MatrixOfTile matrix();
  /// Returns the value of the cycle counters [tile cycles].
  std::uint64_t now() const { return running_.vertices->now.value + cycles(); }
  /// Returns the cycles that the current vertex has taken, as far as its code counts them [tile
  /// cycles].
  std::uint64_t cycles() const { return kSlots * CycleCount::ofThread + assemblyCycles_; }
  /// The components of cycles().
  struct Taken {
    std::uint64_t assembly = 0;
    unsigned long long counted = 0;
  };
  Taken taken() const { return {assemblyCycles_, CycleCount::ofThread}; }
  /// Forgets what was counted since \p taken.
  void goBackTo(const Taken &taken) {
    assemblyCycles_ = taken.assembly;
    CycleCount::ofThread = taken.counted;
  }
  void addAssemblyCycles(std::uint64_t cycles) { assemblyCycles_ += cycles; }

  /// Copies to \p state the registers that a worker's context has in addition to those that
  /// instructions name, without floating-point events.
  void give(WorkerState &state);
  /// Copies back what instructions may have changed.
  void take(const WorkerState &state);

  /// The state that enter() replaces.
  struct Caller {
    FloatingPoint floatingPoint;
    /// $FP_CTL and $FP_ICTL at the start of the native code.
    std::uint32_t control = 0, initial = 0;
  };
  /// Starts native code called by tile code with the registers of \p core.
  Caller enter(const Core &core);
  /// Ends that native code: copies what it left to \p core and \p tile.
  void leave(const Caller &caller, Core &core, TileContexts &tile);

private:
  struct Quarters {
    std::uint32_t format, scale; ///< $FP_NFMT, $FP_SCL
  };
  RegisterWords &file() const { return running_.vertices->registers; }
  void setFloatingPoint(const FloatingPoint &behaviour);
  void restore();
  void requireQuarters(unsigned index);
  Quarters quartersOn(const MatrixOfTile &tile) const;
  unsigned readQuarters(unsigned index);
  void writeQuarters(unsigned index, unsigned value);
  [[noreturn]] void endFor(unsigned index) {
    exit_.leaveFor(CodeletFault::Kind::NoRegister, 0, static_cast<int>(index));
  }

  const RunningVertex &running_;
  CodeletExit &exit_;
  CodeletSignals &signals_;
  FloatingPoint floatingPoint_;
  bool isWritten_ = false; ///< the current vertex has its own $FP_CTL, format_ or scale_
  /// $FP_NFMT and $FP_SCL, if the vertex wrote them.
  std::optional<std::uint32_t> format_, scale_;
  std::uint64_t assemblyCycles_ = 0; ///< assembly cycles of the current vertex [tile cycles]
};

/// Leaves the codelet because floating-point events stop the program.
[[noreturn]] void leaveForEvents(CodeletExit &exit, std::uint32_t events);

} // namespace copse::ipud
