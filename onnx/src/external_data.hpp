#pragma once

#include <onnx/onnx_pb.h>
#include <string>

namespace copse::onnx {

/// Reads the elements of tensors that lie in files of their own into \p model.
/// \param path  of the model: the files are relative to its folder, and none is outside
/// \returns a digest of all that was read; empty if there is nothing to read
/// \throws ModelError, naming the tensor
std::string readExternalData(::onnx::ModelProto &model, const std::string &path);

} // namespace copse::onnx
