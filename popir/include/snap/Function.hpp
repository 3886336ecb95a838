#pragma once

#include <poplar/GraphElements.hpp>
#include <utility>

namespace snap {

/// A poplar::Function under another name.
class Function : public poplar::Function {
public:
  Function() = default;
  Function(poplar::Function function) : poplar::Function(std::move(function)) {}
};

} // namespace snap
