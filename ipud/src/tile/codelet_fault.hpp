#pragma once

#include "processor/tile_processor.hpp"

#include "wire/codelet_abi.hpp"
#include "wire/image.hpp"

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

namespace copse::ipud {

/// The reason why a thread left a codelet before the codelet returned.
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
  int signal = 0; ///< for Kind::Signal
  /// The signal's code, which distinguishes the reasons of SIGFPE. For NoRegister, the number of
  /// the register; for NoInstruction, the word.
  int code = 0;
  const void *address = nullptr; ///< address of a memory fault; for MemoryError, of the word
  const wire::VertexRecord *vertex = nullptr;
  std::uint32_t worker = 0; ///< for a MultiVertex, or for `started`
  /// The native function that failed, if the vertex is tile code that started or called it: an
  /// index into Vertices::functions.
  std::optional<std::uint32_t> started = std::nullopt;
  std::shared_ptr<const TileFault> tile = nullptr; ///< for Kind::TileException
  bool onStack = false;                          ///< `address` is at the end of the thread's stack
  const wire::AssemblyBlock *assembly = nullptr; ///< the statement that ended the codelet
  const char *tileFunction = nullptr; ///< symbol of the tile code function that ended the codelet
  const void *instruction = nullptr;  ///< for Kind::Signal: the native instruction
  /// For Kind::Exception: its type and text.
  std::shared_ptr<const std::string> thrown = nullptr;
};

} // namespace copse::ipud
