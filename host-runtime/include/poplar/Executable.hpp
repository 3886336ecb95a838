#pragma once

#include "poplar/ArrayRef.hpp"
#include "poplar/DebugContext.hpp"
#include "poplar/OptionFlags.hpp"
#include "poplar/ProgramNames.hpp"

#include <functional>
#include <iosfwd>
#include <memory>

namespace poplar {

class Graph;

/// A function that gets the progress of a compilation; \p done never decreases. The function is not
/// called after the compiling function has returned.
using ProgressFunc = std::function<void(int done, int total)>;

/// Holds a compiled graph with its programs, to be saved, loaded or run by an Engine. Move-only. A
/// default-constructed one holds none: it may only be assigned to.
class Executable {
public:
  /// The implementation, which is libpoplar's own.
  class Impl;

  /// Makes an empty executable.
  Executable();
  /// Makes an executable of an implementation; for libpoplar's use.
  explicit Executable(std::unique_ptr<Impl> impl);

  ///@{

  /// Takes over the other executable, which is empty afterwards.
  Executable(Executable &&) noexcept;
  Executable &operator=(Executable &&) noexcept;
  ///@}

  /// Releases the compiled graph.
  ~Executable();

  /// Writes the executable. Equal graphs, programs and options give equal bytes.
  /// \throws poplar_error if the executable is empty or too large to be saved
  void serialize(std::ostream &out) const;
  /// Reads as far as serialize() wrote, and leaves the rest of \p in unread.
  /// \throws file_load_error if the bytes are not an executable that this version wrote
  static Executable deserialize(std::istream &in);
  /// Reads from a stream that is not used afterwards, such as a part of a file that a reader
  /// opened. Other errors as above.
  /// \throws poplar_error also if \p in is null
  static Executable deserialize(std::unique_ptr<std::istream> in);

  /// Returns the implementation; for libpoplar's use.
  /// \throws poplar_error if the executable is empty
  Impl &getImpl() const;
  /// Gives the implementation away; for libpoplar's use.
  std::unique_ptr<Impl> release();

private:
  std::unique_ptr<Impl> impl_;
};

///@{

/// Compiles a graph without a device. Most faults of a graph are found here.
/// - \p programs: those that Engine::run() can start, by their position
/// - \p options: engine options (docs/engine-options.md), default none
/// - \p progress: called during compilation; default none
/// \throws graph_memory_allocation_error if a tile's memory is too small
/// \throws graph_connection_error if a field is not connected or does not fit
/// \throws invalid_tile_mapping if a vertex or an element that is used is on no tile
/// \throws graph_cycle_error if vertices of a compute set depend on each other
/// \throws invalid_option if an option or its value is unknown
Executable compileGraph(const Graph &graph, ArrayRef<program::Program> programs,
                        const OptionFlags &options = {}, ProgressFunc progress = ProgressFunc(),
                        const DebugContext &debugContext = {});
Executable compileGraph(Graph &&graph, ArrayRef<program::Program> programs,
                        const OptionFlags &options = {}, ProgressFunc progress = ProgressFunc(),
                        const DebugContext &debugContext = {});
///@}

} // namespace poplar
