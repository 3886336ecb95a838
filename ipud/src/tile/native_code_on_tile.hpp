#pragma once

#include "processor/native_code.hpp"
#include "tile/codelet_thread.hpp"

namespace copse::ipud {

/// Thrown through the interpreter when native code that it ran has been left for good: what stops
/// the program is recorded.
struct LeftNativeCode {};

/// While this lives, interrupt() ends the interpreter: jumping out of it would leave it half done.
class CodeletThread::Interpreting {
public:
  explicit Interpreting(CodeletThread &thread) : thread_(thread) {
    thread_.interpreting_.store(&*thread_.processor_);
  }
  ~Interpreting() { thread_.interpreting_.store(nullptr); }
  Interpreting(const Interpreting &) = delete;
  Interpreting &operator=(const Interpreting &) = delete;

private:
  CodeletThread &thread_;
};

/// Runs native code for tile code: with the registers of the worker that goes to it, and faults
/// contained as those of a native vertex are.
class CodeletThread::NativeCodeOnTile : public NativeCode {
public:
  /// \param vertex  that tile code runs for
  NativeCodeOnTile(CodeletThread &thread, const wire::VertexRecord &vertex)
      : thread_(thread), vertex_(vertex) {}

  /// \throws LeftNativeCode, or what the codelet throws
  bool run(Core &core, TileContexts &tile) override;

private:
  bool runCodelet(Core &core, TileContexts &tile, std::uint32_t number);
  void runFunction(Core &core, TileContexts &tile, std::uint32_t number);
  bool call(Core &core, TileContexts &tile, std::uint32_t number, void *state);
  void takeRegisters(const Core &core, std::uint32_t number);
  void giveRegisters(Core &core) const;

  CodeletThread &thread_;
  const wire::VertexRecord &vertex_;
};

} // namespace copse::ipud
