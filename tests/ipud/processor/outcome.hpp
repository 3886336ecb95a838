#pragma once

#include "isa/exception.hpp"
#include "test_tile.hpp"

#include <gtest/gtest.h>

namespace copse::ipud::test {

/// The state after a vertex.
struct Outcome {
  TileProcessor::Result result;
  WorkerState state;
  std::vector<std::uint32_t> memory;
};

inline std::vector<std::uint32_t> bitsOf(const Accumulators &accumulators) {
  std::vector<std::uint32_t> bits;
  for (unsigned i = 0; i < Accumulators::kUnits; ++i) {
    bits.push_back(fp::asBits(accumulators.working[i]));
    bits.push_back(fp::asBits(accumulators.delayed[i]));
  }
  return bits;
}

/// Returns the state that instructions can read, without fields that only the interpreter knows.
inline std::vector<std::uint32_t> registersOf(const WorkerState &state) {
  std::vector<std::uint32_t> all;
  for (unsigned i = 0; i < 8; ++i)
    all.push_back(state.registers.a(i));
  for (unsigned i = 0; i < 16; ++i)
    all.push_back(state.registers.m(i));
  return all;
}

inline void expectTheSame(const Outcome &host, const Outcome &reference) {
  ASSERT_EQ(host.result.fault != nullptr, reference.result.fault != nullptr);
  if (host.result.fault != nullptr) {
    EXPECT_EQ(host.result.fault->type, reference.result.fault->type);
    EXPECT_EQ(host.result.fault->pc, reference.result.fault->pc);
    EXPECT_EQ(host.result.fault->address, reference.result.fault->address);
    EXPECT_EQ(host.result.fault->inRepeat, reference.result.fault->inRepeat);
  }
  EXPECT_EQ(host.result.issues, reference.result.issues);
  EXPECT_EQ(registersOf(host.state), registersOf(reference.state));
  EXPECT_EQ(bitsOf(host.state.accumulators), bitsOf(reference.state.accumulators));
  EXPECT_EQ(host.state.fpStatus, reference.state.fpStatus);
  EXPECT_EQ(host.state.prng.s0, reference.state.prng.s0);
  EXPECT_EQ(host.state.prng.s1, reference.state.prng.s1);
  EXPECT_EQ(host.state.tas, reference.state.tas);
  EXPECT_TRUE(host.memory == reference.memory);
}

} // namespace copse::ipud::test
