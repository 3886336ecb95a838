#pragma once

#include "isa/exception.hpp"
#include "isa/random.hpp"

#include <array>
#include <cstdint>

namespace copse::ipud {

/// The registers of one context that instructions name. Behind those of the architecture stand some
/// that only the interpreter names: reads of a register file need no test that way.
struct alignas(16) RegisterFiles {
  static constexpr unsigned kMainSink = 16;   ///< takes what is written to read-only registers
  static constexpr unsigned kAuxPending = 16; ///< four: loaded in a bundle, not yet visible
  static constexpr unsigned kAuxSink = 20;    ///< four: as kMainSink
  std::array<std::uint32_t, 24> a{};          ///< 8 to 15 always read 0
  std::array<std::uint32_t, 20> m{};
};

inline constexpr unsigned kAccumulators = 32;

/// What a worker context keeps from one vertex to the next.
struct WorkerState {
  RegisterFiles registers;
  alignas(16) std::array<float, kAccumulators> accumulators{};
  fp::Prng prng;
  std::uint32_t fpStatus = 0;  ///< $FP_STS
  std::uint32_t fpControl = 0; ///< $FP_CTL
  std::uint32_t tas = 0;
  std::uint32_t fpFormat = 0, fpScale = 0; ///< $FP_NFMT, $FP_SCL
  std::uint32_t repeatCount = 0, repeatFirst = 0, repeatEnd = 0;
};

} // namespace copse::ipud
