#include "compiler/where.hpp"

namespace copse::compiler {

std::string Where::text() const {
  if (model_ == nullptr)
    return std::string(text_);
  const graph::Vertex &v = model_->vertices[vertex_];
  const popc::VertexType &type = model_->vertexTypes[v.type];
  return "field '" + type.fields[field_].name + "' of vertex '" + type.name + "' in compute set '" +
         model_->computeSets[v.computeSet].name + "'";
}

} // namespace copse::compiler
