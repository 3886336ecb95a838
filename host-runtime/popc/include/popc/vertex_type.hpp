#pragma once

#include "types/architecture.hpp"
#include "types/element_type.hpp"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace copse::assembler {
struct Object;
}

namespace copse::popc {

using types::Architecture;
using types::ElementType;

enum class FieldDirection : std::uint8_t { State = 0, Input = 1, Output = 2, InOut = 3 };

/// What the field is: T; Vector<T>; Vector<Input<T>>; Vector<Input<Vector<T>>> or, as state,
/// Vector<Vector<T>>; Input<VectorList<T>>. (A list of a CPU target is a VectorOfVectors of spans.)
enum class FieldKind : std::uint8_t {
  Scalar,
  Vector,
  VectorOfScalars,
  VectorOfVectors,
  VectorList
};

/// COMPACT_* are already resolved for the architecture.
enum class Layout : std::uint8_t {
  NotAVector,
  Span,
  ShortSpan,
  OnePtr,
  ScaledPtr32,
  ScaledPtr64,
  ScaledPtr128,
  DeltaN,
  DeltaNElements
};

struct Field {
  std::string name;
  FieldDirection direction = FieldDirection::State;
  FieldKind kind = FieldKind::Scalar;
  ElementType type = ElementType::Other;
  std::string typeName; ///< as the canonical spelling says it, for messages
  std::uint32_t elementBytes = 0;
  Layout outer = Layout::NotAVector; ///< the vector, or the outer one of two, or the list
  Layout inner = Layout::NotAVector;
  std::uint32_t minAlign = 1; ///< of the innermost data [bytes]
  bool interleaved = false;
  std::uint32_t offset = 0;      ///< in the vertex state [bytes]
  std::uint32_t bytes = 0;       ///< of the field in the vertex state
  std::uint32_t arrayLength = 0; ///< a plain C array of state: its elements; else 0
};

/// One vertex class (an instantiation, if it is a template).
struct VertexType {
  std::string name;   ///< canonical: "ns::Name<float,unsigned int,true>"
  std::string symbol; ///< entry point: guide 3.5, "__runCodelet_..."
  bool multiVertex = false;
  bool supervisor = false;
  bool external = false; ///< isExternalCodelet: the entry comes from assembly
  std::uint32_t stateBytes = 0, stateAlign = 1;
  std::vector<Field> fields; ///< in order of declaration, base classes first
  std::vector<std::string> constraints;
};

/// Codelets compiled for one architecture.
struct Module {
  Architecture arch = Architecture::Cpu;
  std::string name; ///< the source's, for messages
  /// "ipu2:cpp": what popc was told to call code that is compiled in another way. No graph takes such modules, but for
  /// ipuModelVariant().
  std::string variant;
  std::string sha256;         ///< of `elf`, or of the tile code, hexadecimal
  std::vector<std::byte> elf; ///< a shared object; see wire/codelet_abi.hpp
  std::vector<VertexType> vertices;
  /// Functions that tile code may call, by the symbols that it knows them by; the shared object has
  /// them by names with wire::kFunctionPrefix in front.
  std::vector<std::string> functions;
  /// Functions of tile code that the shared object calls, and that are looked for when a graph is
  /// compiled.
  std::vector<std::string> tileFunctions;
  /// Of an object that is still to be linked: tile_calls.hpp.
  std::vector<std::string> declarations;
  /// Symbols that another module has to define. There is no shared object then: see completed_modules.hpp.
  std::vector<std::string> missing;
  /// Functions and variables that other modules may use: those of C++ sources with a definition that is not inline.
  std::vector<std::string> definitions;
  /// Sources of its code, compressed; empty where they were left out, and for CPU targets if the module has
  /// neither `missing` nor `definitions`. For withChecks().
  std::vector<std::string> sources;
  /// Tile code, where the source is assembly: the entries of vertices that a C++ source declares
  /// external. Such a module has no shared object and no vertices. Of C++ with supervisors that start
  /// workers: see stand_in.hpp.
  std::shared_ptr<const assembler::Object> object;
};

} // namespace copse::popc
