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

/// Reports the progress of a compilation; \p done never decreases. It is not called after the
/// compiling function has returned.
using ProgressFunc = std::function<void(int done, int total)>;

/// A compiled graph with its programs. Move-only. A default-constructed one holds none: it may only
/// be assigned to.
class Executable {
public:
  class Impl; // libpoplar's own

  Executable();
  explicit Executable(std::unique_ptr<Impl> impl);
  Executable(Executable &&) noexcept;
  Executable &operator=(Executable &&) noexcept;
  ~Executable();

  /// Equal graphs, programs and options give equal bytes.
  void serialize(std::ostream &out) const;
  /// Reads as far as serialize() wrote, and leaves the rest of \p in unread.
  /// \throws poplar_error or a class below it if the bytes are not an executable's
  static Executable deserialize(std::istream &in);
  /// The same from a stream that is not used afterwards, such as a part of a file that a reader opened.
  /// \throws poplar_error also if \p in is null
  static Executable deserialize(std::unique_ptr<std::istream> in);

  /// \throws poplar_error if there is none
  Impl &getImpl() const;
  std::unique_ptr<Impl> release();

private:
  std::unique_ptr<Impl> impl_;
};

/// Compiles without a device. Most faults of a graph are found here.
/// \throws graph_memory_allocation_error, graph_connection_error, invalid_tile_mapping,
/// invalid_option, ...
Executable compileGraph(const Graph &graph, ArrayRef<program::Program> programs,
                        const OptionFlags &options = {}, ProgressFunc progress = ProgressFunc(),
                        const DebugContext &debugContext = {});
Executable compileGraph(Graph &&graph, ArrayRef<program::Program> programs,
                        const OptionFlags &options = {}, ProgressFunc progress = ProgressFunc(),
                        const DebugContext &debugContext = {});

} // namespace poplar
