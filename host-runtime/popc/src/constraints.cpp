#include "popc/constraints.hpp"

#include "popc/popc.hpp"

#include <algorithm>
#include <optional>
#include <string_view>
#include <utility>

namespace copse::popc {
namespace {

/// One side of a constraint, "elem(**field)".
struct Side {
  std::string field;
  bool region = false;
  std::size_t depth = 0; ///< the number of `*`
};

/// Reads elem() or region() of a field. Other forms give nothing.
std::optional<Side> readSide(std::string text) {
  std::erase_if(text, [](char c) { return c == ' ' || c == '\t' || c == '\n'; });
  for (const std::string_view kind : {"elem(", "region("})
    if (text.starts_with(kind) && text.ends_with(')')) {
      const std::string inner = text.substr(kind.size(), text.size() - kind.size() - 1);
      const std::size_t depth = std::min(inner.find_first_not_of('*'), inner.size());
      return Side{inner.substr(depth), kind == "region(", depth};
    }
  return std::nullopt;
}

/// Returns the two sides of "a != b".
std::optional<std::pair<std::string, std::string>> unequal(const std::string &constraint) {
  constexpr std::string_view kUnequal = "!=";
  const std::size_t at = constraint.find(kUnequal);
  if (at == std::string::npos)
    return std::nullopt;
  return std::pair(constraint.substr(0, at), constraint.substr(at + kUnequal.size()));
}

std::optional<std::uint16_t> indexOf(const VertexType &vertex, const std::string &name) {
  const auto field = std::ranges::find(vertex.fields, name, &Field::name);
  if (field == vertex.fields.end())
    return std::nullopt;
  return static_cast<std::uint16_t>(field - vertex.fields.begin());
}

/// Returns the field whose data \p side refers to.
std::optional<std::uint16_t> dataOf(const VertexType &vertex, const Side &side) {
  const auto index = indexOf(vertex, side.field);
  if (!index)
    return std::nullopt;
  const Field &field = vertex.fields[*index];
  const bool nested =
      field.kind == FieldKind::VectorOfScalars || field.kind == FieldKind::VectorOfVectors;
  const bool isData = side.depth == (nested ? 2 : 1) || field.kind == FieldKind::VectorList;
  return isData && field.direction != FieldDirection::State ? index : std::nullopt;
}

} // namespace

void checkConstraints(const VertexType &vertex) {
  for (const std::string &constraint : vertex.constraints) {
    const auto sides = unequal(constraint);
    if (!sides)
      continue;
    for (const std::string &text : {sides->first, sides->second})
      if (const auto side = readSide(text); side && !indexOf(vertex, side->field))
        throw CompileError("constraint \"" + constraint + "\" of vertex '" + vertex.name +
                           "': there is no field '" + side->field +
                           "'; name a field of the class\n");
  }
}

std::vector<FieldsApart> fieldsApart(const VertexType &vertex) {
  std::vector<FieldsApart> all;
  for (const std::string &constraint : vertex.constraints) {
    const auto sides = unequal(constraint);
    const auto a = sides ? readSide(sides->first) : std::nullopt;
    const auto b = sides ? readSide(sides->second) : std::nullopt;
    if (!a || !b || a->region != b->region)
      continue;
    const auto dataA = dataOf(vertex, *a), dataB = dataOf(vertex, *b);
    if (dataA && dataB && dataA != dataB)
      all.push_back({*dataA, *dataB, a->region});
  }
  return all;
}

} // namespace copse::popc
