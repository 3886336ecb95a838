#pragma once

#include "poplar/HostFunction.hpp"

#include <cstddef>
#include <vector>

namespace copse::engine {

/// One replica's calls of a host function: its inputs come in order, then its outputs are asked for
/// in order. The function is called when all inputs are there, and by call() if it has no arguments.
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
