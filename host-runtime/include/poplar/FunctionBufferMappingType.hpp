#pragma once

namespace poplar {

/// Where a FunctionBuffer keeps the code of its function.
enum class FunctionBufferMappingType {
  REMOTE ///< in memory outside the IPU, as the rows of a RemoteBuffer
};

} // namespace poplar
