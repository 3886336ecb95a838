#pragma once

#include "batches.hpp"

#include <poplar/Executable.hpp>
#include <poplar/Target.hpp>
#include <set>

namespace copse::onnx {

/// The stream of an input or an output: a row for each batch.
struct Port {
  std::string name;
  ElementType type = ElementType::Float;
  Shape batch;
  std::size_t rowBytes = 0;

  std::string inputHandle() const { return "in:" + name; }
  std::string outputHandle() const { return "out:" + name; }
};

/// A model compiled for the shapes and the number of batches of a request.
struct CompiledModel {
  poplar::Executable executable; ///< one program: all steps
  std::vector<Port> in, out;
  std::map<std::string, HostTensor> constants; ///< outputs that need no run
  std::vector<std::string> checkedNodes;       ///< whose integers of 64 bits may leave 32 bits
  std::set<std::string>
      shapedBy; ///< inputs whose elements the program depends on, as its shapes do
};

/// Handles of the two counts that the program leaves for the host, as poplar::cycleCount() makes them.
inline constexpr const char *kStepCycles = "stepCycles", *kAllCycles = "cycles";
/// Handle of the flags of CompiledModel::checkedNodes, a byte each; there is none if no node is checked.
inline constexpr const char *kOverflows = "overflows";

/// Of the engine that runs it, and of its compilation.
poplar::OptionFlags engineOptions(const Request &request);

/// \throws ModelError; poplar's and PopLibs' errors
CompiledModel compileModel(const Model &model, const Request &request, const Batches &batches,
                           const poplar::Target &target);

} // namespace copse::onnx
