#pragma once

#include "test_tile.hpp"

#include <gtest/gtest.h>

#include <array>
#include <random>
#include <span>

namespace copse::ipud::test {

/// Seeds everything random in the tests of instructions, so that failures are reproducible.
inline constexpr unsigned kTableSeed = 20;

inline constexpr std::uint32_t kStochastic = 1U << 19, kNanoo = 1U << 20; ///< bits of $FP_CTL

/// Returns numbers that are often special: ends of ranges, zeros, infinities, NaN, small
/// differences.
class OperandSource {
public:
  std::uint32_t word() { return static_cast<std::uint32_t>(random_()); }

  std::uint32_t single() {
    const std::uint32_t bits = word();
    switch (word() % 8) {
    case 0:
      return kSpecial[bits % kSpecial.size()];
    case 1: // numbers of medium size: sums lose digits
      return (bits & 0x83FFFFFF) | 0x3C000000;
    case 2: // near the last one
      return last_ ^ (bits & 0x80000003);
    default:
      return last_ = bits;
    }
  }
  std::uint16_t half() {
    const std::uint32_t bits = word();
    return static_cast<std::uint16_t>(bits % 8 == 0 ? kSpecial16[bits / 8 % kSpecial16.size()]
                                                    : bits >> 16);
  }

private:
  static constexpr std::array<std::uint32_t, 20> kSpecial = {
      0,          0x80000000, 0x7F800000, 0xFF800000, 0x7FC00000, 0x7F800001, 0xFFFFFFFF,
      0x00800000, 0x80800000, 0x007FFFFF, 0x7F7FFFFF, 0xFF7FFFFF, 0x3F800000, 0xBF800000,
      0x477FE000, 0x477FEFFF, 0x477FF000, 0x33000000, 0x4F000000, 0xCF000000};
  static constexpr std::array<std::uint16_t, 16> kSpecial16 = {
      0,      0x8000, 0x7C00, 0xFC00, 0x7E00, 0x7C01, 0xFDFF, 0x7BFF,
      0xFBFF, 0x0001, 0x8001, 0x03FF, 0x0400, 0x3C00, 0xBC00, 0x7ECE};
  std::mt19937 random_{kTableSeed};
  std::uint32_t last_ = 0;
};

/// Runs one instruction again and again, on operands from memory, and reads its results there.
class InstructionLoop {
public:
  /// Aux lane: $a0 to $a3. Main lane: $m0 to $m2 and the old $m4.
  using Operands = std::array<std::uint32_t, 4>;
  struct Results {
    std::uint32_t first, second; ///< $a4, $a5, or $m4, $m5
    std::uint32_t status;        ///< $FP_STS of this turn; main lane: 0
    std::uint32_t unused;
    std::uint64_t both() const { return std::uint64_t{second} << 32 | first; }
  };

  /// \param instruction  its source; its lane follows from \p isAux
  InstructionLoop(const std::string &instruction, bool isAux,
                  isa::Architecture architecture = isa::Architecture::Ipu21)
      : tile(architecture), isAux_(isAux) {
    tile.assemble(isAux ? auxLoop(instruction) : mainLoop(instruction));
  }

  /// Calls check(operands, results) for each of \p all, in their order.
  template <class Check> void run(std::span<const Operands> all, Check check) {
    for (; !all.empty(); all = all.subspan(std::min(kBatch, all.size()))) {
      const auto batch = all.first(std::min(kBatch, all.size()));
      const auto count = static_cast<std::uint32_t>(batch.size());
      std::memcpy(tile.base() + kIn, batch.data(), batch.size_bytes());
      tile.setM(isAux_ ? 0 : 8, kIn);
      tile.setM(isAux_ ? 1 : 9, kOut);
      tile.setM(isAux_ ? 2 : 7, count - 1);
      tile.setA(7, 7);
      const auto result = tile.run();
      ASSERT_EQ(result.fault, nullptr);
      const auto results = tile.read<Results>(kOut, count);
      for (std::size_t i = 0; i < count; ++i) {
        check(batch[i], results[i]);
        if (::testing::Test::HasFatalFailure())
          return;
      }
    }
  }

  TestTile tile;

private:
  static constexpr std::size_t kBatch = 8192;
  static constexpr std::uint32_t kIn = 0x80000, kOut = 0xA8000;

  static std::string auxLoop(const std::string &instruction) {
    return ".worker\n.align 8\n1:\n"
           "ld64step $a0:1, $mzero, $m0+=, 1\nld64step $a2:3, $mzero, $m0+=, 1\n" +
           instruction +
           "\nuget $a6, $FP_STS\nst64step $a4:5, $mzero, $m1+=, 1\n"
           "st64step $a6:7, $mzero, $m1+=, 1\nuput $FP_CLR, $a7\nbrnzdec $m2, 1b\nexitz $mzero\n";
  }
  static std::string mainLoop(const std::string &instruction) {
    return ".worker\n.align 8\n1:\n"
           "ld32step $m0, $mzero, $m8+=, 1\nld32step $m1, $mzero, $m8+=, 1\n"
           "ld32step $m2, $mzero, $m8+=, 1\nld32step $m4, $mzero, $m8+=, 1\n" +
           instruction +
           "\nst32step $m4, $mzero, $m9+=, 1\nst32step $m5, $mzero, $m9+=, 1\n"
           "st32step $mzero, $mzero, $m9+=, 2\nbrnzdec $m7, 1b\nexitz $mzero\n";
  }

  bool isAux_;
};

/// Returns half \p i of operands that are vectors of halves.
inline std::uint32_t halfOf(const InstructionLoop::Operands &in, unsigned i) {
  return in[i / 2] >> (16 * (i % 2)) & 0xFFFF;
}

} // namespace copse::ipud::test
