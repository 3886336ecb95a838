#pragma once

#include "host_tensor.hpp"

#include <memory>
#include <poplar/StreamCallback.hpp>
#include <poplar/Target.hpp>

namespace copse::onnx {

/// Returns elements in the format of a stream.
std::vector<char> deviceBytes(const HostTensor &tensor, const poplar::Target &target);
HostTensor hostTensor(const std::vector<char> &bytes, ElementType type, Shape shape,
                      const poplar::Target &target);

/// Supplies rows \p first, first + stride, ... of \p rows, before the device asks for them. Row 0
/// follows the last row.
/// \param rows  must outlive the callback
std::unique_ptr<poplar::StreamCallback> rowReader(const std::vector<char> &rows,
                                                  std::size_t rowBytes, std::size_t first,
                                                  std::size_t stride);
/// Stores such rows from the device.
std::unique_ptr<poplar::StreamCallback> rowWriter(std::vector<char> &rows, std::size_t rowBytes,
                                                  std::size_t first, std::size_t stride);

} // namespace copse::onnx
