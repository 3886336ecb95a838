#pragma once

#include "graph/model.hpp"

#include <cstdint>
#include <string>
#include <string_view>

namespace copse::compiler {

/// The subject of a message. Every edge has one but few messages are produced, so the text is built
/// only when needed.
///
/// Refers to its arguments, so use it for parameters, not for members.
class Where {
public:
  Where(const char *text) : text_(text) {}
  Where(const std::string &text) : text_(text) {}
  /// The subject "field 'a' of vertex 'ns::T' in compute set 'cs'".
  Where(const graph::Model &model, std::uint32_t vertex, std::uint16_t field)
      : model_(&model), vertex_(vertex), field_(field) {}

  std::string text() const;

private:
  std::string_view text_;
  const graph::Model *model_ = nullptr;
  std::uint32_t vertex_ = 0;
  std::uint16_t field_ = 0;
};

} // namespace copse::compiler
