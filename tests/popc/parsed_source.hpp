#pragma once

#include "front_end.hpp"
#include "vertex_finder.hpp"

#include "popc/arch.hpp"

#include <llvm/Support/TargetSelect.h>
#include <string>
#include <utility>
#include <vector>

namespace copse::popc::test {

/// Returns the code found in a source that starts with #include <poplar/Vertex.hpp> and using
/// namespace poplar.
inline FoundCode codeIn(const std::string &source, Architecture arch) {
  llvm::InitializeNativeTarget();
  llvm::InitializeNativeTargetAsmPrinter();
  const ArchTraits &traits = traitsOf(arch);
  std::vector<std::string> arguments{"-x",
                                     "c++",
                                     "-std=c++17",
                                     "-w",
                                     "-isystem",
                                     COPSE_DEVICE_HEADERS,
                                     "-D__POPC__=1",
                                     "-fno-access-control",
                                     "-D__COPSE_SLOT_BITS__=" + std::to_string(traits.slotBits)};
  if (traits.ipuArchVersion != 0)
    arguments.push_back("-D__IPU_ARCH_VERSION__=" + std::to_string(traits.ipuArchVersion));
  for (const char *const output : {"-S", "-emit-llvm", "-o", "-", "-"})
    arguments.emplace_back(output);
  SourceToParse text{"#include <poplar/Vertex.hpp>\nusing namespace poplar;\n" + source,
                     "/nowhere/codelets.cpp", arch, arguments, ""};
  llvm::LLVMContext context;
  return std::move(*parsed(text, context).found);
}

inline std::vector<FoundVertex> verticesIn(const std::string &source, Architecture arch) {
  return codeIn(source, arch).vertices;
}

inline std::vector<VertexType> vertexTypesOf(const std::string &source, Architecture arch) {
  std::vector<VertexType> types;
  for (FoundVertex &vertex : verticesIn(source, arch))
    types.push_back(std::move(vertex.type));
  return types;
}

} // namespace copse::popc::test
