#pragma once

#include "graph/model.hpp"
#include "poplar/SerializationFormat.hpp"

#include <cstdint>
#include <iosfwd>
#include <nlohmann/json_fwd.hpp>
#include <span>
#include <string>
#include <vector>

/// Graphs and tensors as JSON, or the same as CBOR: Poplar's "binary".
namespace copse::graph {

/// Tensors that were read: variables that are not in any graph yet, and what refers to them.
struct TensorBundle {
  struct BundledVariable {
    std::string name;
    ElementType type = ElementType::Float;
    std::uint64_t elements = 0; ///< at least 1
  };
  struct BundledTensor {
    ElementType type = ElementType::Float;
    std::vector<std::size_t> shape;
    std::vector<Run> runs; ///< Run::variable is an index into `variables`
  };
  std::vector<BundledVariable> variables;
  std::vector<BundledTensor> tensors;
};

void write(const nlohmann::json &document, poplar::SerializationFormat format, std::ostream &out);

/// As in C++ source: "unsigned int".
std::string serializedName(ElementType type);
/// [[variable, begin, count, stride], ...]
nlohmann::json serializedRuns(std::span<const Run> runs);

/// The variables that the views refer to, numbered anew, and the views.
nlohmann::json serializedTensors(const Model &model, std::span<const TypedView> views);

/// Any bytes are safe.
/// \throws poplar::parse_error if they are not tensors, or make no sense: a run beyond its
///   variable, a shape of another number of elements than the runs have, types that differ
TensorBundle readTensors(std::istream &in, poplar::SerializationFormat format);

} // namespace copse::graph
