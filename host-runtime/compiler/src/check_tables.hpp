#pragma once

#include "vertex_memory.hpp"

#include "compiler/placement.hpp"
#include "compiler/vertex_index.hpp"
#include "graph/model.hpp"
#include "wire/image.hpp"

#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

namespace copse::compiler {

/// Numbers names in a list.
class NameList {
public:
  /// Names already in \p names keep their numbers.
  explicit NameList(std::vector<std::string> &names);
  std::uint32_t numberOf(const std::string &name);

private:
  std::vector<std::string> *names_;
  std::unordered_map<std::string, std::uint32_t> known_;
};

/// Adds the location of every variable to the check tables of \p images, which must be present.
void emitVariables(const graph::Model &model, const Placement &placement,
                   std::vector<wire::Image> &images);

/// Adds the ranges that each vertex may access to these tables, in the order of the images'
/// vertices.
void emitGiven(const graph::Model &model, const VertexIndex &index, const VertexMemory &memory,
               std::vector<wire::Image> &images);

} // namespace copse::compiler
