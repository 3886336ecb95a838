#pragma once

#include <onnx/onnx_pb.h>
#include <string>

namespace copse::onnx {

/// Reads the elements of tensors that are kept in files of their own into \p model.
/// \param path  path of the model: the files must be in its folder, and their paths are relative to
///   it
/// \returns a digest of all data read; empty if there were no such files
/// \throws ModelError  which names the tensor
std::string readExternalData(::onnx::ModelProto &model, const std::string &path);

} // namespace copse::onnx
