#pragma once

#include "processor/tile_processor.hpp"

#include "wire/codelet_abi.hpp"
#include "wire/image.hpp"

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

namespace copse::ipud {

/// Why a thread left a codelet before it returned.
struct CodeletFault {
  enum class Kind : std::uint8_t {
    Signal,
    Exception,
    Interrupted,
    TileException,
    NoRegister,
    NoInstruction,
    MemoryError,
    SupervisorAssembly,
    AssemblyPointer
  };
  Kind kind = Kind::Signal;
  int signal = 0; ///< of Kind::Signal
  /// Of that signal: tells the reasons of SIGFPE apart. The number of NoRegister, the word of
  /// NoInstruction.
  int code = 0;
  const void *address = nullptr; ///< that a memory fault was about; of a MemoryError, the word
  const wire::VertexRecord *vertex = nullptr;
  std::uint32_t worker = 0; ///< of a MultiVertex, or of `started`
  /// The native function that failed, where the vertex is tile code that started or called it:
  /// index of Vertices::functions.
  std::optional<std::uint32_t> started = std::nullopt;
  std::shared_ptr<const TileFault> tile = nullptr; ///< of Kind::TileException
  bool onStack = false;                            ///< `address` is where the thread's stack ends
  const wire::AssemblyBlock *assembly = nullptr;   ///< that ended it
  const char *tileFunction = nullptr; ///< the same, of a function of tile code: its symbol
  std::shared_ptr<const std::string> thrown = nullptr; ///< of Kind::Exception: its type and text
};

} // namespace copse::ipud
