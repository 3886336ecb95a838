#pragma once

#include <poplar/GraphElements.hpp>
#include <utility>

namespace snap {

/// Wraps a poplar::Function under snap's name.
class Function : public poplar::Function {
public:
  ///@{

  /// Makes an empty name, or wraps a function.
  Function() = default;
  Function(poplar::Function function) : poplar::Function(std::move(function)) {}
  ///@}
};

} // namespace snap
