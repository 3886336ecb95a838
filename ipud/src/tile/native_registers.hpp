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

/// The count of the native code of the vertex at hand.
struct CycleCount {
  /// [worker cycles]. Initial-exec, so that it has one distance from the pointer of each thread
  /// (wire::CycleOffset).
  [[gnu::tls_model("initial-exec")]] static constinit thread_local unsigned long long ofThread;
};

/// The matrix unit of the tile at hand.
struct MatrixOfTile {
  Weights &weights;
  std::uint32_t &address;        ///< $CCCSLOAD
  std::uint32_t &format, &scale; ///< $FP_INFMT, $FP_ISCL
};

inline constexpr std::uint32_t kWeightAddressMask = 0xFFFFF; ///< bits of $CCCSLOAD

/// The control and status registers that native code sees: those of the worker whose vertex runs,
/// and of its tile. How the vertex computes with floating-point numbers follows from them.
///
/// Life: begin() for a compute set, enterTile() for each tile, leaveVertex() after each vertex.
/// Thread: that which runs the vertices.
class NativeRegisters {
public:
  /// Keeps references to all.
  NativeRegisters(const RunningVertex &running, CodeletExit &exit, CodeletSignals &signals)
      : running_(running), exit_(exit), signals_(signals) {}

  void begin();
  void enterTile();
  /// Each launch of a worker begins with $FP_ICTL.
  void leaveVertex() {
    assemblyCycles_ = 0;
    CycleCount::ofThread = 0;
    if (isWritten_) [[unlikely]]
      restore();
  }

  /// Takes back what trapOn() did, whichever way the codelets are left.
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
  /// While this lives, our own arithmetic may do what it likes.
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

  // What codelets ask for: wire/codelet_abi.hpp.
  unsigned read(unsigned index);
  void write(unsigned index, unsigned value);
  unsigned short roundToHalf(float x);

  const FloatingPoint &floatingPoint() const { return floatingPoint_; }
  MatrixOfTile matrix();
  /// Where the counters of cycles are [tile cycles].
  std::uint64_t now() const { return running_.vertices->now.value + cycles(); }
  /// What the vertex at hand has taken, as far as its code counts that [tile cycles].
  std::uint64_t cycles() const { return kSlots * CycleCount::ofThread + assemblyCycles_; }
  /// What cycles() is made of.
  struct Taken {
    std::uint64_t assembly = 0;
    unsigned long long counted = 0;
  };
  Taken taken() const { return {assemblyCycles_, CycleCount::ofThread}; }
  /// Forgets what was counted since then.
  void goBackTo(const Taken &taken) {
    assemblyCycles_ = taken.assembly;
    CycleCount::ofThread = taken.counted;
  }
  void addAssemblyCycles(std::uint64_t cycles) { assemblyCycles_ += cycles; }

  /// Gives \p state the registers that a worker's context holds beside those that instructions
  /// name, with no floating-point event.
  void give(WorkerState &state);
  /// The reverse, for what instructions may have changed.
  void take(const WorkerState &state);

  /// What enter() found.
  struct Caller {
    FloatingPoint floatingPoint;
    std::uint32_t control = 0, initial = 0; ///< $FP_CTL and $FP_ICTL when the native code begins
  };
  /// Native code that tile code goes to begins with the registers of \p core.
  Caller enter(const Core &core);
  /// It has returned: gives \p core and \p tile what it left.
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
  bool isWritten_ = false; ///< by the vertex at hand: $FP_CTL or one of the next is its own
  std::optional<std::uint32_t> format_, scale_; ///< $FP_NFMT and $FP_SCL, if it wrote them
  std::uint64_t assemblyCycles_ = 0;            ///< of the vertex at hand [tile cycles]
};

/// For floating-point events that stop the program.
[[noreturn]] void leaveForEvents(CodeletExit &exit, std::uint32_t events);

} // namespace copse::ipud
