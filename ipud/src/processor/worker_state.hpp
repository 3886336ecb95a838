#pragma once

#include "isa/exception.hpp"
#include "processor/random.hpp"

#include <array>
#include <cstdint>

namespace copse::ipud {

/// The registers of one context that instructions can name, followed by registers that only the
/// interpreter uses. The latter spare accesses to a register file a test.
struct alignas(16) RegisterFiles {
  // Indices into `all`: the aux registers, of which 8 to 15 always read 0, then the others.
  static constexpr unsigned kAuxPending = 16; ///< four: loaded in a bundle, not yet visible
  static constexpr unsigned kAuxSink = 20;    ///< four: receive writes to read-only registers
  static constexpr unsigned kMain = 24;
  static constexpr unsigned kMainSink = 40; ///< four: as kAuxSink
  std::array<std::uint32_t, 44> all{};
  std::uint32_t &a(unsigned i) { return all[i]; }
  std::uint32_t &m(unsigned i) { return all[kMain + i]; }
  std::uint32_t a(unsigned i) const { return all[i]; }
  std::uint32_t m(unsigned i) const { return all[kMain + i]; }
};

/// $AACC of both AMP sets: unit u has the even register 2u and the odd register 2u + 1.
struct Accumulators {
  static constexpr unsigned kUnits = 16;
  alignas(16) std::array<float, kUnits> working{}; ///< even: sums in progress
  alignas(16) std::array<float, kUnits> delayed{}; ///< odd: values moving along the chain
  float &operator[](unsigned number) { return (number % 2 == 0 ? working : delayed)[number / 2]; }
};

/// The state of a worker context that persists between vertices.
struct WorkerState {
  RegisterFiles registers;
  Accumulators accumulators;
  fp::Prng prng;
  std::uint32_t fpStatus = 0;  ///< $FP_STS
  std::uint32_t fpControl = 0; ///< $FP_CTL
  std::uint32_t tas = 0;
  std::uint32_t fpFormat = 0, fpScale = 0; ///< $FP_NFMT, $FP_SCL
  std::uint32_t repeatCount = 0, repeatFirst = 0, repeatEnd = 0;
};

} // namespace copse::ipud
