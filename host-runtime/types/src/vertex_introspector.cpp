#include "poplar/VertexIntrospector.hpp"
#include "poplar/exceptions.hpp"
#include "types/vertex_source.hpp"

#include <utility>

namespace poplar {
namespace {

void requireValue(const copse::types::FieldSource &field, std::size_t vector, std::size_t i) {
  if (!field.hasValues())
    throw poplar_error("field '" + field.name() +
                       "': its values are not known before the program runs");
  const bool nested = field.rank() == 2;
  const bool inRange =
      nested ? vector < field.size() && i < field.sizeOf(vector) : i < field.size();
  if (!inRange)
    throw index_error("field '" + field.name() + "' has no element " + std::to_string(i) +
                      (nested ? " of vector " + std::to_string(vector) : std::string()));
}

} // namespace

FieldData::FieldData(std::shared_ptr<const copse::types::FieldSource> source)
    : source_(std::move(source)) {}

std::string FieldData::name() const { return source_->name(); }
unsigned FieldData::rank() const { return source_->rank(); }
std::size_t FieldData::size() const { return source_->size(); }

std::size_t FieldData::getSizeAtIndex(unsigned i) const {
  if (source_->rank() != 2 || i >= source_->size())
    throw index_error("field '" + source_->name() + "' has no vector " + std::to_string(i));
  return source_->sizeOf(i);
}

layout::Vector FieldData::getProfilerVectorLayout(std::size_t nestingLevel) const {
  return source_->vectorLayout(nestingLevel);
}
layout::VectorList FieldData::getProfilerVectorListLayout() const { return source_->listLayout(); }

double FieldData::floatingValue(std::size_t vector, std::size_t i) const {
  requireValue(*source_, vector, i);
  return source_->floatingValue(vector, i);
}
std::int64_t FieldData::integerValue(std::size_t vector, std::size_t i) const {
  requireValue(*source_, vector, i);
  return source_->integerValue(vector, i);
}

VertexIntrospector::VertexIntrospector(std::shared_ptr<const copse::types::VertexSource> source)
    : source_(std::move(source)) {}

FieldData VertexIntrospector::getFieldInfo(const std::string &name) const {
  auto field = source_->field(name);
  if (!field)
    throw unknown_field("vertex type '" + source_->typeName() + "' has no field '" + name + "'");
  return FieldData(std::move(field));
}

} // namespace poplar
