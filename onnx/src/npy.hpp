#pragma once

#include "host_tensor.hpp"

namespace copse::onnx {

/// Reads a file of NumPy with one array, of versions 1 to 3, in either order of dimensions.
/// \throws ModelError  which names the file
HostTensor readNpy(const std::string &path);
/// Reads an array from the bytes of such a file.
/// \param path  for messages
HostTensor parseNpy(const std::string &bytes, const std::string &path);
void writeNpy(const std::string &path, const HostTensor &tensor);

} // namespace copse::onnx
