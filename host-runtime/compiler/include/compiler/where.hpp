#pragma once

#include "graph/model.hpp"

#include <cstdint>
#include <string>
#include <string_view>

namespace copse::compiler {

/// What a message is about. Every edge has one and hardly any is told of, so the text is made when
/// there is a message only.
///
/// Refers to what it is made of: for arguments, not for members.
class Where {
public:
  Where(const char *text) : text_(text) {}
  Where(const std::string &text) : text_(text) {}
  /// "field 'a' of vertex 'ns::T' in compute set 'cs'"
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
