#pragma once

#include "graph/program_node.hpp"
#include "graph/replica_tiles.hpp"
#include "graph/run_list.hpp"
#include "graph/view.hpp"
#include "popc/vertex_type.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

/// The graph as the compiler sees it, filled by Poplar's Graph, Tensor and Program objects. The
/// model consists of flat arrays and intervals: nothing has a cost per element, and no vertex or
/// edge is a heap object.
namespace copse::graph {

inline constexpr std::uint32_t kNoTile = 0xFFFFFFFF;
inline constexpr std::uint32_t kNotReplicated = 0xFFFFFFFF;

/// The tile of each element of a variable. Tiles are numbered over all IPUs of the top-level graph:
/// ipu * tilesPerIpu + tile.
class TileMap {
public:
  struct Piece {
    std::uint64_t begin = 0, end = 0;
    std::uint32_t tile = kNoTile;
    friend bool operator==(const Piece &, const Piece &) = default;
  };
  explicit TileMap(std::uint64_t elements = 0);
  /// Maps [begin, end), and overwrites earlier mappings.
  void set(std::uint64_t begin, std::uint64_t end, std::uint32_t tile);
  std::uint32_t tileOf(std::uint64_t element) const { return pieceAt(element).tile; }
  /// Returns the whole piece that contains \p element.
  Piece pieceAt(std::uint64_t element) const;
  /// Returns the pieces that cover [begin, end), ascending and clipped to the range. Adjacent
  /// pieces of one tile are merged; unmapped ones have kNoTile.
  std::vector<Piece> pieces(std::uint64_t begin, std::uint64_t end) const;
  bool complete() const;

  /// Calls \p f(first, count, tile) in order for groups of consecutive elements of \p run (of the
  /// map's variable) that are on one tile.
  void visit(const Run &run, const auto &f) const {
    for (std::uint64_t i = 0; i < run.count;) {
      const Piece piece = pieceAt(elementOf(run, i));
      const std::uint64_t count = std::min(run.count - i, stepsWithin(piece, run, i));
      f(i, count, piece.tile);
      i += count;
    }
  }

private:
  /// Returns how many elements of \p run from \p i on lie in \p piece, if the run is long enough.
  static std::uint64_t stepsWithin(const Piece &piece, const Run &run, std::uint64_t i) {
    if (run.stride == 0) {
      return run.count;
    }
    const std::uint64_t element = elementOf(run, i);
    return 1 + (run.stride > 0 ? (piece.end - 1 - element) / static_cast<std::uint64_t>(run.stride)
                               : (element - piece.begin) / static_cast<std::uint64_t>(-run.stride));
  }

  std::uint64_t elements_ = 0;
  std::map<std::uint64_t, std::uint32_t> starts_; ///< start of each piece -> tile
};

/// Values in device format of the `count` elements begin, begin + stride, ...: either one value per
/// element, or shorter `bytes` that are repeated.
struct InitialValue {
  std::uint64_t begin = 0, count = 0;
  std::int64_t stride = 1;
  std::vector<std::byte> bytes;
};

/// A variable or constant of the graph. Its elements are numbered in row-major order of its shape.
/// Tensors are views of variables (graph/view.hpp).
struct Variable {
  std::string name; ///< debug path
  ElementType type = ElementType::Float;
  std::vector<std::size_t> shape;
  std::uint64_t elements = 0;
  bool constant = false;
  bool replicaIndex = false;         ///< a constant with the number of the replica as value
  TileMap tiles;                     ///< for a replicated variable: on replica 0
  std::vector<InitialValue> initial; ///< later ones win; includes a constant's values
  /// See graph/replicas.hpp; an index into Model::replications.
  std::uint32_t replication = kNotReplicated;
  VariableId instances = 0; ///< if the variable is replicated
};

/// Runs [first, first + count) of Model::runs.
struct RunRange {
  std::uint64_t first = 0;
  std::uint32_t count = 0;
};

/// The elements connected to one (sub-)vector of a field.
struct Edge {
  std::uint32_t vertex = 0;
  std::uint16_t field = 0; ///< index into VertexType::fields
  /// Number of the sub-vector or scalar, for VectorOfScalars, VectorOfVectors, VectorList.
  std::uint32_t index = 0;
  std::uint64_t elements = 0;
  RunRange runs;
};

/// The value of a state field (or of an unconnected Input), in device format.
struct FieldValue {
  std::uint32_t vertex = 0;
  std::uint16_t field = 0;
  std::uint32_t index = 0; ///< index of the sub-vector
  std::uint64_t elements = 1;
  std::vector<std::byte> bytes;
};

/// A vertex: an instance of a codelet in a compute set. Its fields are in Model::edges, fieldValues
/// and fieldSizes, because most vertices have few.
struct Vertex {
  std::uint32_t type = 0; ///< index into Model::vertexTypes
  std::uint32_t computeSet = 0;
  std::uint32_t tile = kNoTile;
  std::uint32_t replication = kNotReplicated; ///< each replica has such a vertex
  std::optional<std::uint64_t> cycles;        ///< setPerfEstimate
};

/// The size of a field, fixed by setFieldSize or by a connected list.
struct FieldSize {
  std::uint32_t vertex = 0;
  std::uint16_t field = 0;
  std::uint32_t size = 0;
};

/// A stream of addHostToDeviceFIFO or addDeviceToHostFIFO.
struct StreamDef {
  std::string handle;
  ElementType type = ElementType::Float;
  std::uint64_t elements = 0; ///< per replica and copy
  bool toHost = false;
  bool broadcast = false;
  std::uint32_t bufferingDepth = 1;
  std::uint64_t splitLimit = 0;
};

/// A buffer of addRemoteBuffer.
struct RemoteBufferDef {
  std::string handle;
  ElementType type = ElementType::Float;
  std::uint64_t elements = 0; ///< per row
  std::uint64_t repeats = 1;  ///< number of rows
};

/// A handle of createHostRead or createHostWrite.
struct HostAccessDef {
  std::string handle;
  bool write = false;
  ElementType type = ElementType::Float;
  View view;
};

/// The cost of one vertex in worker cycles and floating-point operations; see
/// poplar::PerfEstimateFunc.
struct PerfEstimate {
  std::uint64_t cycles = 0, flops = 0;
};

/// A compute set. Its vertices refer to it by its index.
struct ComputeSetDef {
  std::string name;
};

/// The whole graph: what the Poplar calls of a program have added. Objects refer to each other by
/// their index, and nothing is ever removed, so that an index stays valid.
///
/// Thread: one at a time.
struct Model {
  popc::Architecture arch = popc::Architecture::Ipu2;
  std::uint32_t ipus = 1; ///< per replica
  std::uint32_t tilesPerIpu = 1;
  std::uint32_t replicas = 1;
  std::uint32_t halfBytes = 2;            ///< 4 on a CPU device without accurateHalf
  std::vector<ReplicaTiles> replications; ///< one for each createReplicatedGraph()

  std::vector<Variable> variables;
  std::vector<popc::VertexType> vertexTypes;
  std::vector<std::uint32_t> vertexTypeModule; ///< index into modules, for each vertex type
  std::vector<std::shared_ptr<const popc::Module>> modules; ///< all for architecture `arch`
  std::unordered_map<std::string, std::uint32_t> vertexTypeByName;

  std::vector<ComputeSetDef> computeSets;
  std::vector<Vertex> vertices;
  std::vector<Edge> edges; ///< in the order of connect()
  std::vector<Run> runs;   ///< runs of the edges
  std::vector<FieldValue> fieldValues;
  std::vector<FieldSize> fieldSizes;

  /// The streams. A graph made by createReplicatedGraph() adds one per replica, consecutively, with
  /// one handle.
  std::vector<StreamDef> streams;
  std::vector<RemoteBufferDef> remoteBuffers; ///< as for streams
  std::vector<HostAccessDef> hostAccesses;
  std::map<std::string, VariableId> tileRegisters; ///< by name; see graph/register_variables.hpp
  std::vector<ProgramPtr> functions;
};

/// Returns the size of one element in tile memory [bytes]. LONG has 4 on an IPU and 8 on a CPU;
/// Other has 0.
std::uint32_t elementBytes(const Model &model, ElementType type);

} // namespace copse::graph
