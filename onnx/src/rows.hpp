#pragma once

#include "host_tensor.hpp"

#include <memory>
#include <poplar/StreamCallback.hpp>
#include <poplar/Target.hpp>

namespace copse::onnx {

/// Elements as a stream carries them.
std::vector<char> deviceBytes(const HostTensor &tensor, const poplar::Target &target);
HostTensor hostTensor(const std::vector<char> &bytes, ElementType type, Shape shape,
                      const poplar::Target &target);

/// Brings rows \p first, first + stride, ... of \p rows, ahead of the device's requests. After the last row comes row 0.
/// \param rows  outlives the callback
std::unique_ptr<poplar::StreamCallback> rowReader(const std::vector<char> &rows,
                                                  std::size_t rowBytes, std::size_t first,
                                                  std::size_t stride);
/// Takes such rows from the device.
std::unique_ptr<poplar::StreamCallback> rowWriter(std::vector<char> &rows, std::size_t rowBytes,
                                                  std::size_t first, std::size_t stride);

} // namespace copse::onnx
