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

/// Gives each name a number in a list of names.
class NameList {
public:
  /// Those that are there keep theirs.
  explicit NameList(std::vector<std::string> &names);
  std::uint32_t numberOf(const std::string &name);

private:
  std::vector<std::string> *names_;
  std::unordered_map<std::string, std::uint32_t> known_;
};

/// Tells the check tables of \p images, which are present, where every variable lies.
void emitVariables(const graph::Model &model, const Placement &placement,
                   std::vector<wire::Image> &images);

/// Tells them what each vertex may touch, in the order of the images' vertices.
void emitGiven(const graph::Model &model, const VertexIndex &index, const VertexMemory &memory,
               std::vector<wire::Image> &images);

} // namespace copse::compiler
