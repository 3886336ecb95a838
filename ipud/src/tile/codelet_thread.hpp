#pragma once

#include "tile/codelet_context.hpp"
#include "tile/tile_code_caller.hpp"

#include <cstdint>
#include <vector>

namespace copse::ipud {

/// A call of a vertex for workers [worker, worker + workers): native code for one, or tile code for
/// several.
struct WorkerCall {
  std::uint32_t vertex; ///< in Vertices::set
  std::uint32_t worker, workers;
};

/// The calling thread in its role of running codelets. A fault of a codelet (CodeletSignals) or an
/// interrupt() jumps back into call(), which returns it.
///
/// Resources that the codelet held at that moment, such as a lock of malloc, stay held. Codelets
/// own nothing but tile memory.
///
/// Thread: the thread itself calls current() and call(); any thread may call interrupt().
class CodeletThread {
public:
  /// Returns the object of the calling thread, which is created at first use and lives as long as
  /// the thread.
  static CodeletThread &current();
  ~CodeletThread();
  CodeletThread(const CodeletThread &) = delete;
  CodeletThread &operator=(const CodeletThread &) = delete;

  /// Calls the vertices of tiles [first, last) of the compute set, in order.
  /// \param epoch   identifies this compute set to interrupt()
  /// \param result  gets the AND of the vertices' results
  /// \returns true if all vertices returned; otherwise fault() says what happened
  bool call(const Vertices &vertices, std::uint32_t first, std::uint32_t last, std::uint64_t epoch,
            bool &result);
  const CodeletFault &fault() const { return context_.exit.fault(); }

  /// Makes call() return, if it runs the compute set of that epoch.
  void interrupt(std::uint64_t epoch) { context_.signals.interrupt(epoch); }

private:
  CodeletThread();
  void begin(const Vertices &vertices, std::uint64_t epoch);
  void enterTile(const wire::TileVertices &run);
  bool callTiles(const Vertices &vertices, std::uint32_t first, std::uint32_t last);
  bool callListed(const Vertices &vertices, const wire::TileVertices &run);
  void listCalls(const Vertices &vertices, const wire::TileVertices &run);
  bool callVertex(const Vertices &vertices, const WorkerCall &call);
  void leaveVertex(const wire::VertexRecord &vertex);

  CodeletContext context_;
  TileCodeCaller tileCode_{context_};
  /// Calls of the current tile; a fault may end the calls at any time.
  std::vector<WorkerCall> calls_;
};

} // namespace copse::ipud
