#pragma once

#include "poplar/HostFunction.hpp"

#include <cstddef>
#include <vector>

namespace copse::engine {

/// Collects the arguments of one replica's calls of a host function. Inputs arrive in order, and
/// then outputs are requested in order. The function is called once all inputs have arrived; a
/// function without arguments is called by call().
///
/// Thread: the one that serves the streams.
class HostFunctionCall {
public:
  /// \param inputBytes, outputBytes  sizes of the arguments' rows [bytes]
  HostFunctionCall(poplar::HostCallbackHandle callback, const std::vector<std::size_t> &inputBytes,
                   const std::vector<std::size_t> &outputBytes);

  void take(std::size_t input, const void *row);
  void give(std::size_t output, void *row);
  void call();

private:
  using Rows = std::vector<std::vector<std::byte>>;

  poplar::HostCallbackHandle callback_;
  Rows inputs_, outputs_;
};

} // namespace copse::engine
