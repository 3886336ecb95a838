#pragma once

#include <poplar/DataStream.hpp>
#include <utility>

namespace snap {

/// Wraps a poplar::DataStream under snap's name.
class DataStream : public poplar::DataStream {
public:
  ///@{

  /// Makes an empty name, or wraps a stream.
  DataStream() = default;
  DataStream(poplar::DataStream stream) : poplar::DataStream(std::move(stream)) {}
  ///@}
};

} // namespace snap
