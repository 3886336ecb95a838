#pragma once

#include "machines.hpp"

#include <gtest/gtest.h>

namespace copse::test {

/// A machine, and how a program is spread over it.
struct Shape {
  const char *name;
  session::Transport transport;
  std::uint32_t replicas, ipusPerReplica;
  std::uint32_t ipus() const { return replicas * ipusPerReplica; }
};

inline std::unique_ptr<session::Machine> machineOf(const Shape &shape) {
  auto machine = session::Machine::start(machineOptions(shape.ipus(), shape.transport));
  EXPECT_TRUE(machine.ok()) << machine.status().message;
  return machine ? std::move(*machine) : nullptr;
}

} // namespace copse::test
