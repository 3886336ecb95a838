#pragma once

#include "graph/model.hpp"
#include "poplar/SerializationFormat.hpp"

#include <cstdint>
#include <iosfwd>
#include <nlohmann/json_fwd.hpp>
#include <span>
#include <string>
#include <vector>

/// Reads and writes graphs and tensors as JSON, or as CBOR, which is Poplar's "binary".
namespace copse::graph {

/// Tensors that were read: variables that are not in a graph yet, and tensors that refer to them.
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

/// Returns the name in C++ source: "unsigned int".
std::string serializedName(ElementType type);
/// Returns [[variable, begin, count, stride], ...].
nlohmann::json serializedRuns(std::span<const Run> runs);

/// Returns the variables that the views refer to, renumbered, and the views.
nlohmann::json serializedTensors(const Model &model, std::span<const TypedView> views);

/// Reads tensors from arbitrary bytes.
/// \throws poplar::parse_error if they are not tensors or are inconsistent: a run beyond its
///   variable, a shape that does not match the runs, different types
TensorBundle readTensors(std::istream &in, poplar::SerializationFormat format);

} // namespace copse::graph
