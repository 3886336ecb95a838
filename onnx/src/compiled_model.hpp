#pragma once

#include "batches.hpp"

#include <poplar/Executable.hpp>
#include <poplar/Target.hpp>
#include <set>

namespace copse::onnx {

/// The stream of an input or an output, with one row for each batch.
struct Port {
  std::string name;
  ElementType type = ElementType::Float;
  Shape batch;
  std::size_t rowBytes = 0;

  std::string inputHandle() const { return "in:" + name; }
  std::string outputHandle() const { return "out:" + name; }
};

/// A model that is compiled for the shapes and the number of batches of a request.
struct CompiledModel {
  poplar::Executable executable; ///< one program, which runs all steps
  std::vector<Port> in, out;
  std::map<std::string, HostTensor> constants; ///< outputs that need no run
  /// Nodes whose integers of 64 bits may need more than 32 bits.
  std::vector<std::string> checkedNodes;
  std::set<std::string> shapedBy; ///< inputs whose elements decide shapes in the program
};

/// Handles of the two cycle counts that the program leaves for the host, as poplar::cycleCount()
/// makes them.
inline constexpr const char *kStepCycles = "stepCycles", *kAllCycles = "cycles";
/// Handle of the flags of CompiledModel::checkedNodes, one byte each. Without checked nodes there
/// is no such handle.
inline constexpr const char *kOverflows = "overflows";

/// Returns the options for the engine that runs the program, and for its compilation.
poplar::OptionFlags engineOptions(const Request &request);

/// Compiles a model.
/// \throws ModelError; errors of poplar and PopLibs
CompiledModel compileModel(const Model &model, const Request &request, const Batches &batches,
                           const poplar::Target &target);

} // namespace copse::onnx
