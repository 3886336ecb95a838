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

/// The form of a field: T; Vector<T>; Vector<Input<T>>; Vector<Input<Vector<T>>> or, as state,
/// Vector<Vector<T>>; Input<VectorList<T>>. (A list of a CPU target is a VectorOfVectors of spans.)
enum class FieldKind : std::uint8_t {
  Scalar,
  Vector,
  VectorOfScalars,
  VectorOfVectors,
  VectorList
};

/// The layout of a vector in the vertex state, with COMPACT_* resolved for the architecture.
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
  std::string typeName; ///< canonical spelling, for messages
  std::uint32_t elementBytes = 0;
  Layout outer = Layout::NotAVector; ///< the vector, the outer vector of two, or the list
  Layout inner = Layout::NotAVector;
  std::uint32_t minAlign = 1; ///< alignment of the innermost data [bytes]
  bool interleaved = false;
  std::uint32_t offset = 0;      ///< place in the vertex state [bytes]
  std::uint32_t bytes = 0;       ///< size in the vertex state [bytes]
  std::uint32_t arrayLength = 0; ///< number of elements of state that is a plain C array; else 0
};

/// One vertex class (an instantiation, if it is a template).
struct VertexType {
  std::string name;   ///< canonical: "ns::Name<float,unsigned int,true>"
  std::string symbol; ///< the entry point: "__runCodelet_..." (guide, 3.5)
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
  std::string name; ///< name of the source, for messages
  /// The name that popc was given for code that is compiled in another way, such as "ipu2:cpp".
  /// Graphs ignore modules with a variant, except ipuModelVariant().
  std::string variant;
  std::string sha256;         ///< hash of `elf` or of the tile code, hexadecimal
  std::vector<std::byte> elf; ///< a shared object (wire/codelet_abi.hpp)
  std::vector<VertexType> vertices;
  /// Symbols of functions that tile code may call. In the shared object their names have the prefix
  /// wire::kFunctionPrefix.
  std::vector<std::string> functions;
  /// Functions of tile code that the shared object calls. They are looked up when a graph is
  /// compiled.
  std::vector<std::string> tileFunctions;
  /// Function declarations of an object that is not yet linked (compiler/tile_functions.hpp).
  std::vector<std::string> declarations;
  /// Symbols that another module has to define. A module with such symbols has no shared object:
  /// see completed_modules.hpp.
  std::vector<std::string> missing;
  /// Symbols of functions and variables that other modules may use: the definitions of C++ sources
  /// that are not inline.
  std::vector<std::string> definitions;
  /// The sources of its code, compressed, for withChecks(). Empty if they were left out. A CPU
  /// target has them only if the module has `missing` or `definitions`.
  std::vector<std::string> sources;
  /// Tile code from an assembly source: the entries of vertices that a C++ source declares
  /// external. Such a module has no shared object and no vertices. A module from C++ has tile code
  /// if its supervisors start workers: see stand_in.hpp.
  std::shared_ptr<const assembler::Object> object;
};

} // namespace copse::popc
