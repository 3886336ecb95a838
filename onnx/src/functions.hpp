#pragma once

#include <onnx/onnx_pb.h>

namespace copse::onnx {

/// Replaces each node that calls a function of the model by the nodes of the function, also in
/// inner graphs.
/// \throws ModelError  if a function calls itself, or has another opset than the model
void inlineFunctions(::onnx::ModelProto &model);

} // namespace copse::onnx
