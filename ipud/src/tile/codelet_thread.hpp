#pragma once

#include "tile/codelet_context.hpp"
#include "tile/tile_code_caller.hpp"

#include <cstdint>
#include <vector>

namespace copse::ipud {

/// A call of a vertex for the workers [worker, worker + workers): for one, or tile code for several.
struct WorkerCall {
  std::uint32_t vertex; ///< in Vertices::set
  std::uint32_t worker, workers;
};

/// The calling thread as one that runs codelets. A fault of a codelet (CodeletSignals) or an
/// interrupt() jumps back into call(), which returns it.
///
/// What the codelet held at that moment (a lock of malloc, say) stays held: codelets own nothing
/// but tile memory.
///
/// Thread: current() and call() by the thread itself, interrupt() by any.
class CodeletThread {
public:
  /// Of the calling thread; made at first use, lives as long as the thread.
  static CodeletThread &current();
  ~CodeletThread();
  CodeletThread(const CodeletThread &) = delete;
  CodeletThread &operator=(const CodeletThread &) = delete;

  /// Calls the vertices of tiles [first, last) of the compute set, in order.
  /// \param epoch   names this compute set to interrupt()
  /// \param result  gets the AND of what the vertices returned
  /// \returns whether all vertices returned; if not, fault() says what happened
  bool call(const Vertices &vertices, std::uint32_t first, std::uint32_t last, std::uint64_t epoch,
            bool &result);
  const CodeletFault &fault() const { return context_.exit.fault(); }

  /// Makes call() return if it runs the compute set of that epoch.
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
  std::vector<WorkerCall> calls_; ///< of the tile at hand; a fault may leave the calls at any time
};

} // namespace copse::ipud
