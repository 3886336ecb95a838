#pragma once

#include <poplar/DataStream.hpp>
#include <utility>

namespace snap {

/// A poplar::DataStream under another name.
class DataStream : public poplar::DataStream {
public:
  DataStream() = default;
  DataStream(poplar::DataStream stream) : poplar::DataStream(std::move(stream)) {}
};

} // namespace snap
