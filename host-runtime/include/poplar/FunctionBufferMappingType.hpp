#pragma once

namespace poplar {

/// The places where a FunctionBuffer keeps the code of its function.
enum class FunctionBufferMappingType {
  REMOTE ///< memory outside the IPU, as the rows of a RemoteBuffer
};

} // namespace poplar
