#pragma once

#include "processor/native_code.hpp"
#include "tile/codelet_context.hpp"

#include <cstdint>

namespace copse::ipud {

/// Runs native code for tile code, with the registers of the calling worker. Faults are contained
/// as in a native vertex.
class NativeCodeOnTile : public NativeCode {
public:
  /// \param vertex  for which the tile code runs
  NativeCodeOnTile(CodeletContext &context, const wire::VertexRecord &vertex)
      : context_(context), vertex_(vertex) {}

  /// \throws LeftCodelet, or what the codelet throws
  bool run(Core &core, TileContexts &tile) override;

private:
  bool runCodelet(Core &core, TileContexts &tile, std::uint32_t number);
  void runFunction(Core &core, TileContexts &tile, std::uint32_t number);
  bool call(Core &core, TileContexts &tile, std::uint32_t number, void *state);

  CodeletContext &context_;
  const wire::VertexRecord &vertex_;
};

} // namespace copse::ipud
