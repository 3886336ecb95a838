#include "graph_impl.hpp"
#include "memory_order.hpp"
#include "renaming.hpp"

#include "graph/replicas.hpp"
#include "graph/run_list.hpp"
#include "graph/types.hpp"
#include "poplar/Graph.hpp"

#include <algorithm>
#include <numeric>

namespace poplar {

using copse::graph::Access;
using copse::graph::GraphState;
using copse::graph::kNoTile;
using copse::graph::Model;
using copse::graph::Renaming;
using copse::graph::Run;
using copse::graph::TensorState;
using copse::graph::TileMap;
using copse::graph::View;
using copse::graph::ViewRegion;
using Method = TensorCloneMethod;

std::string toString(TensorCloneMethod method) {
  switch (method) {
  case Method::PRESERVE_ORDER_AND_ALIASES:
    return "PRESERVE_ORDER_AND_ALIASES";
  case Method::CREATE_NEW_ORDER:
    return "CREATE_NEW_ORDER";
  case Method::PRESERVE_ORDER_UNLESS_ALIASES:
    return "PRESERVE_ORDER_UNLESS_ALIASES";
  case Method::GATHER_AND_PRESERVE_TILE_ORDER_AND_ALIASES:
    return "GATHER_AND_PRESERVE_TILE_ORDER_AND_ALIASES";
  }
  return "unknown";
}

namespace {

/// The common properties of clones, whatever their order in memory.
struct Recipe {
  copse::graph::ElementType type;
  const DebugContext &debugContext;
  std::uint32_t replication; ///< the clone's: the graph's replication, or else the source's
  std::uint32_t mappedAs;    ///< the source's replication
};

Recipe recipeFor(const Model &model, const View &source, std::uint32_t graphReplication,
                 copse::graph::ElementType type, const DebugContext &debugContext) {
  const std::uint32_t mappedAs = replicationOf(model, source);
  return {type, debugContext,
          graphReplication == copse::graph::kNotReplicated ? mappedAs : graphReplication, mappedAs};
}

/// Adds a variable with a given tile mapping.
copse::graph::VariableId addMapped(Model &model, const Recipe &recipe, TileMap tiles,
                                   std::uint64_t elements) {
  copse::graph::Variable variable;
  variable.name = recipe.debugContext.getPathName();
  variable.type = recipe.type;
  variable.shape = {elements};
  variable.elements = elements;
  variable.tiles = std::move(tiles);
  return addVariable(model, std::move(variable), recipe.replication, recipe.mappedAs);
}

/// Returns the tiles of the positions of \p view, as the map of a variable with elements in this
/// order.
TileMap tilesOf(const Model &model, const View &view) {
  TileMap out(view.numElements());
  std::uint64_t position = 0;
  for (const Run &run : view.runs()) {
    model.variables[run.variable].tiles.visit(
        run, [&](std::uint64_t first, std::uint64_t count, std::uint32_t tile) {
          out.set(position + first, position + first + count, tile);
        });
    position += run.count;
  }
  return out;
}

View inNewOrder(Model &model, const View &view, const Recipe &recipe) {
  const std::uint64_t elements = view.numElements();
  const auto id = addMapped(model, recipe, tilesOf(model, view), elements);
  return View::ofVariable(id, view.shape());
}

/// A part of the source's elements on one tile.
struct TilePart {
  ViewRegion old;
  std::uint32_t tile = kNoTile;
};

std::vector<TilePart> tileParts(const Model &model, const std::vector<ViewRegion> &covered) {
  std::vector<TilePart> parts;
  for (const ViewRegion &region : covered) {
    for (const auto &piece :
         model.variables[region.variable].tiles.pieces(region.begin, region.end())) {
      parts.push_back({{0, region.variable, piece.begin, piece.end - piece.begin}, piece.tile});
    }
  }
  return parts;
}

/// Parts that are adjacent in memory. All copies of a group precede the next group.
using TileGroup = std::vector<TilePart>;

std::vector<TileGroup> oneGroupEach(const std::vector<TilePart> &parts) {
  std::vector<TileGroup> groups;
  groups.reserve(parts.size());
  for (const TilePart &part : parts) {
    groups.push_back({part});
  }
  return groups;
}

std::vector<TileGroup> oneGroupForEachTile(std::vector<TilePart> parts) {
  std::stable_sort(parts.begin(), parts.end(),
                   [](const TilePart &a, const TilePart &b) { return a.tile < b.tile; });
  std::vector<TileGroup> groups;
  for (const TilePart &part : parts) {
    if (groups.empty() || groups.back().front().tile != part.tile) {
      groups.emplace_back();
    }
    groups.back().push_back(part);
  }
  return groups;
}

std::uint64_t totalElements(const TileGroup &group) {
  return std::accumulate(group.begin(), group.end(), std::uint64_t{0},
                         [](std::uint64_t sum, const TilePart &p) { return sum + p.old.count; });
}

std::uint64_t totalElements(const std::vector<TileGroup> &groups) {
  return std::accumulate(
      groups.begin(), groups.end(), std::uint64_t{0},
      [](std::uint64_t sum, const TileGroup &group) { return sum + totalElements(group); });
}

/// Stores the groups one after another, each \p times times.
Renaming storedInTurn(const std::vector<TileGroup> &groups, std::uint64_t times, TileMap &tiles) {
  std::vector<Renaming::Piece> pieces;
  std::uint64_t begin = 0;
  for (const TileGroup &group : groups) {
    const std::uint64_t elements = totalElements(group);
    std::uint64_t at = begin;
    for (const TilePart &part : group) {
      pieces.push_back({part.old, at, elements});
      at += part.old.count;
    }
    const std::uint64_t end = begin + times * elements;
    tiles.set(begin, end, group.front().tile);
    begin = end;
  }
  return Renaming(std::move(pieces));
}

/// Keeps the source's gaps as single unmapped elements, so that parts which were not adjacent in
/// memory do not become adjacent.
View inOldOrder(Model &model, const View &view, const Recipe &recipe) {
  const std::vector<ViewRegion> covered = coveredElements(view);
  const std::uint64_t elements =
      covered.empty() ? 0 : covered.back().position + covered.back().count + covered.size() - 1;
  TileMap tiles(elements);
  std::vector<Renaming::Piece> pieces;
  for (std::size_t i = 0; i < covered.size(); ++i) {
    const std::uint64_t begin = covered[i].position + i;
    for (const TilePart &part : tileParts(model, {covered[i]})) {
      const std::uint64_t at = begin + part.old.begin - covered[i].begin;
      tiles.set(at, at + part.old.count, part.tile);
    }
    pieces.push_back({covered[i], begin, 0});
  }
  const auto id = addMapped(model, recipe, std::move(tiles), elements);
  return Renaming(std::move(pieces)).apply(view, id);
}

View gatheredByTile(Model &model, const View &view, const Recipe &recipe) {
  const auto groups = oneGroupForEachTile(tileParts(model, coveredElements(view)));
  const std::uint64_t elements = totalElements(groups);
  TileMap tiles(elements);
  const Renaming renaming = storedInTurn(groups, 1, tiles);
  const auto id = addMapped(model, recipe, std::move(tiles), elements);
  return renaming.apply(view, id);
}

bool needsNewOrder(const View &view, Method method) {
  return method == Method::CREATE_NEW_ORDER ||
         (method == Method::PRESERVE_ORDER_UNLESS_ALIASES && copse::graph::hasAliases(view));
}

View cloned(Model &model, const View &view, const Recipe &recipe, Method method) {
  if (needsNewOrder(view, method)) {
    return inNewOrder(model, view, recipe);
  }
  return method == Method::GATHER_AND_PRESERVE_TILE_ORDER_AND_ALIASES
             ? gatheredByTile(model, view, recipe)
             : inOldOrder(model, view, recipe);
}

} // namespace

Tensor Graph::clone(const Type &type, const Tensor &t, const DebugContext &debugContext,
                    TensorCloneMethod method) {
  const TensorState &state = Access::state(t, "clone");
  const auto elementType = copse::graph::elementTypeOf(type);
  const Recipe recipe =
      recipeFor(impl().model(), state.value.view, impl().replication, elementType, debugContext);
  View view = cloned(impl().model(), state.value.view, recipe, method);
  return Access::tensor(impl().state, {elementType, std::move(view)}, state.metadata);
}

Tensor Graph::clone(const Tensor &t, const DebugContext &debugContext, TensorCloneMethod method) {
  return clone(t.elementType(), t, debugContext, method);
}

Tensor Graph::cloneN(const Tensor &t, std::size_t N, const DebugContext &debugContext,
                     TensorCloneMethod method, TensorCloneDuplicationMethod duplicationMethod) {
  return cloneN(t.elementType(), t, N, debugContext, method, duplicationMethod);
}

Tensor Graph::cloneN(const Type &type, const Tensor &t, std::size_t N,
                     const DebugContext &debugContext, TensorCloneMethod method,
                     TensorCloneDuplicationMethod duplicationMethod) {
  const TensorState &state = Access::state(t, "cloneN");
  Model &model = impl().model();
  const auto elementType = copse::graph::elementTypeOf(type);
  const Recipe recipe =
      recipeFor(model, state.value.view, impl().replication, elementType, debugContext);
  std::vector<View> copies;
  if (duplicationMethod == TensorCloneDuplicationMethod::DUPLICATE_BY_TILE_CONTIGUOUS_REGION) {
    if (needsNewOrder(state.value.view, method)) {
      throw poplar_error("cloneN '" + debugContext.getPathName() +
                         "': DUPLICATE_BY_TILE_CONTIGUOUS_REGION needs a clone method that keeps "
                         "the order, not " +
                         toString(method));
    }
    std::vector<TilePart> parts = tileParts(model, coveredElements(state.value.view));
    const auto groups = method == Method::GATHER_AND_PRESERVE_TILE_ORDER_AND_ALIASES
                            ? oneGroupForEachTile(std::move(parts))
                            : oneGroupEach(parts);
    const std::uint64_t elements = N * totalElements(groups);
    TileMap tiles(elements);
    const Renaming renaming = storedInTurn(groups, N, tiles);
    const auto id = addMapped(model, recipe, std::move(tiles), elements);
    for (std::size_t i = 0; i < N; ++i) {
      copies.push_back(renaming.apply(state.value.view, id, i).insertDimension(0));
    }
  } else {
    for (std::size_t i = 0; i < N; ++i) {
      copies.push_back(cloned(model, state.value.view, recipe, method).insertDimension(0));
    }
  }
  // Zero copies still have a shape.
  View view = N == 0 ? state.value.view.insertDimension(0).slice(0, 0, 0) : View::concat(copies, 0);
  return Access::tensor(impl().state, {elementType, std::move(view)}, state.metadata);
}

} // namespace poplar
