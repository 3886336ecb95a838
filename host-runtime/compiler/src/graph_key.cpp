#include "compiler/graph_key.hpp"

#include "disk_cache/digest.hpp"
#include "popc/stand_in.hpp"

#include <algorithm>
#include <array>
#include <limits>
#include <string_view>
#include <type_traits>
#include <unordered_map>

namespace copse::compiler {

using graph::Model;

namespace {

/// Encodes numbers and texts unambiguously as bytes, and feeds them to a digest. Small numbers take
/// one byte, because a graph consists mostly of small differences.
class KeyStream {
public:
  void number(std::uint64_t value) {
    if (kBuffer - used_ < kLongest)
      flush();
    for (; value >= 0x80; value >>= 7)
      buffer_[used_++] = static_cast<std::byte>(value | 0x80);
    buffer_[used_++] = static_cast<std::byte>(value);
  }
  /// Encodes 0, -1, 1, -2, ... as 0, 1, 2, 3, ...
  void difference(std::int64_t value) {
    const auto bits = static_cast<std::uint64_t>(value);
    number(bits << 1 ^ (value < 0 ? ~std::uint64_t{0} : 0));
  }
  void bytes(std::span<const std::byte> bytes) {
    number(bytes.size());
    flush();
    digest_.add(bytes);
  }
  void text(std::string_view text) { bytes(std::as_bytes(std::span(text))); }
  std::string finish() {
    flush();
    return digest_.finish();
  }

private:
  static constexpr std::size_t kBuffer = std::size_t{1} << 16;
  static constexpr std::size_t kLongest = 10; ///< bytes of an encoded number
  void flush() {
    digest_.add(std::span(buffer_).first(used_));
    used_ = 0;
  }
  disk_cache::Digest digest_;
  std::array<std::byte, kBuffer> buffer_;
  std::size_t used_ = 0;
};

template <class E> std::uint64_t numberOf(E enumerator) {
  return static_cast<std::uint64_t>(enumerator);
}

/// Encodes a graph. Structures are decomposed by structured bindings, so that a new member does not
/// compile until this code handles it.
class GraphWriter {
public:
  GraphWriter(const Model &model, KeyStream &out) : model_(model), out_(out) {}

  void model(const CycleEstimate &estimate) {
    const auto &[arch, ipus, tilesPerIpu, replicas, halfBytes, replications, variables, vertexTypes,
                 vertexTypeModule, modules, vertexTypeByName, computeSets, vertices, edges, runs,
                 fieldValues, fieldSizes, streams, remoteBuffers, hostAccesses, tileRegisters,
                 functions] = model_;
    for (const std::uint64_t figure :
         {numberOf(arch), std::uint64_t{ipus}, std::uint64_t{tilesPerIpu}, std::uint64_t{replicas},
          std::uint64_t{halfBytes}})
      out_.number(figure);
    each(replications, [this](const auto &r) { replication(r); });
    each(variables, [this](const auto &v) { variable(v); });
    usedVertexTypes();
    tileCode();
    each(computeSets, [this](const auto &set) { computeSet(set); });
    each(vertices, [this](const auto &v) { vertex(v); });
    for (std::uint32_t v = 0; v < vertices.size(); ++v)
      cycles(estimate ? estimate(v) : std::nullopt);
    each(edges, [this](const auto &e) { edge(e); });
    each(fieldValues, [this](const auto &value) { fieldValue(value); });
    each(fieldSizes, [this](const auto &size) { fieldSize(size); });
    each(streams, [this](const auto &s) { stream(s); });
    each(remoteBuffers, [this](const auto &buffer) { remoteBuffer(buffer); });
    each(hostAccesses, [this](const auto &access) { hostAccess(access); });
    each(tileRegisters, [this](const auto &registers) {
      out_.text(registers.first);
      out_.number(registers.second);
    });
    each(functions, [this](const auto &function) { program(function.get()); });
  }

  void programs(std::span<const graph::ProgramPtr> list) {
    each(list, [this](const auto &node) { program(node.get()); });
  }

private:
  template <class List, class Write> void each(const List &list, Write write) {
    out_.number(list.size());
    for (const auto &item : list)
      write(item);
  }
  template <class List> void numbers(const List &list) {
    each(list, [this](const auto item) { out_.difference(static_cast<std::int64_t>(item)); });
  }

  void replication(const graph::ReplicaTiles &tiles) {
    out_.number(tiles.replicas());
    numbers(tiles.tiles());
  }

  void variable(const graph::Variable &v) {
    const auto &[name, type, shape, elements, constant, replicaIndex, tiles, initial, replication,
                 instances] = v;
    out_.text(name);
    out_.number(numberOf(type));
    numbers(shape);
    out_.number(elements);
    out_.number(constant);
    out_.number(replicaIndex);
    each(tiles.pieces(0, elements), [this](const graph::TileMap::Piece &piece) {
      out_.number(piece.end - piece.begin);
      out_.number(piece.tile);
    });
    each(initial, [this](const graph::InitialValue &value) {
      const auto &[begin, count, stride, bytes] = value;
      out_.number(begin);
      out_.number(count);
      out_.difference(stride);
      out_.bytes(bytes);
    });
    out_.number(replication);
    out_.number(instances);
  }

  /// Omits unused types, because it does not matter which other libraries a program loads.
  void usedVertexTypes() {
    constexpr std::uint32_t kUnused = std::numeric_limits<std::uint32_t>::max();
    typeNumber_.assign(model_.vertexTypes.size(), kUnused);
    for (const graph::Vertex &vertex : model_.vertices)
      typeNumber_[vertex.type] = 0;
    std::uint32_t used = 0;
    for (std::uint32_t t = 0; t < typeNumber_.size(); ++t)
      if (typeNumber_[t] != kUnused) {
        typeNumber_[t] = used++;
        vertexType(model_.vertexTypes[t], *model_.modules[model_.vertexTypeModule[t]]);
      }
    out_.number(used);
  }

  /// Encodes all tile code and the codelets that it starts, as external vertices may be linked with
  /// any of it.
  void tileCode() {
    const auto isExternal = [this](const graph::Vertex &v) {
      return model_.vertexTypes[v.type].external;
    };
    const auto callsTileCode = [](const auto &module) {
      return !module->tileFunctions.empty() || !popc::standInOf(*module).empty();
    };
    if (std::ranges::none_of(model_.vertices, isExternal) &&
        std::ranges::none_of(model_.modules, callsTileCode))
      return;
    for (const auto &module : model_.modules)
      out_.text(module->sha256);
  }

  void vertexType(const popc::VertexType &type, const popc::Module &from) {
    // sha256 covers elf, which is compiled from sources, or object; see tileCode().
    const auto &[arch, moduleName, variant, sha256, elf, vertices, functions, tileFunctions,
                 declarations, missing, definitions, sources, object] = from;
    const auto &[name, symbol, multiVertex, supervisor, external, stateBytes, stateAlign, fields,
                 constraints] = type;
    out_.text(sha256);
    out_.text(moduleName);
    out_.text(name);
    out_.text(symbol);
    for (const std::uint32_t figure : {std::uint32_t{multiVertex}, std::uint32_t{supervisor},
                                       std::uint32_t{external}, stateBytes, stateAlign})
      out_.number(figure);
    each(fields, [this](const auto &f) { field(f); });
    each(constraints, [this](const auto &constraint) { out_.text(constraint); });
  }

  void field(const popc::Field &f) {
    const auto &[name, direction, kind, type, typeName, elementBytes, outer, inner, minAlign,
                 interleaved, offset, bytes, arrayLength] = f;
    out_.text(name);
    out_.text(typeName);
    for (const std::uint64_t figure :
         {numberOf(direction), numberOf(kind), numberOf(type), std::uint64_t{elementBytes},
          numberOf(outer), numberOf(inner), std::uint64_t{minAlign}, std::uint64_t{interleaved},
          std::uint64_t{offset}, std::uint64_t{bytes}, std::uint64_t{arrayLength}})
      out_.number(figure);
  }

  void computeSet(const graph::ComputeSetDef &set) {
    const auto &[name] = set;
    out_.text(name);
  }

  void vertex(const graph::Vertex &v) {
    const auto &[type, computeSet, tile, replication, cycles] = v; // cycles: see cycles()
    out_.number(typeNumber_[type]);
    out_.number(computeSet);
    out_.difference(std::int64_t{tile} - lastTile_);
    // The most frequent value, kNotReplicated, becomes 0.
    out_.number(replication + std::uint64_t{1});
    lastTile_ = tile;
  }

  void cycles(const std::optional<std::uint64_t> &estimate) {
    out_.number(estimate.has_value());
    if (estimate)
      out_.number(*estimate);
  }

  void edge(const graph::Edge &e) {
    const auto &[vertex, field, index, elements, runs] = e;
    out_.difference(std::int64_t{vertex} - lastVertex_);
    lastVertex_ = vertex;
    out_.number(field);
    out_.number(index);
    out_.number(elements);
    out_.number(runs.count);
    for (std::uint32_t i = 0; i < runs.count; ++i)
      run(model_.runs[runs.first + i]);
  }

  void run(const graph::Run &r) {
    const auto &[variable, begin, count, stride] = r;
    out_.number(variable);
    out_.number(begin);
    out_.number(count);
    out_.difference(stride);
  }

  void fieldValue(const graph::FieldValue &value) {
    const auto &[vertex, field, index, elements, bytes] = value;
    out_.number(vertex);
    out_.number(field);
    out_.number(index);
    out_.number(elements);
    out_.number(bytes.size());
    for (const std::byte byte : bytes) // only a few bytes: a digest for each would be slow
      out_.number(std::to_integer<std::uint64_t>(byte));
  }

  void fieldSize(const graph::FieldSize &s) {
    const auto &[vertex, field, size] = s;
    out_.number(vertex);
    out_.number(field);
    out_.number(size);
  }

  void stream(const graph::StreamDef &s) {
    const auto &[handle, type, elements, toHost, broadcast, bufferingDepth, splitLimit] = s;
    out_.text(handle);
    for (const std::uint64_t figure :
         {numberOf(type), elements, std::uint64_t{toHost}, std::uint64_t{broadcast},
          std::uint64_t{bufferingDepth}, splitLimit})
      out_.number(figure);
  }

  void remoteBuffer(const graph::RemoteBufferDef &buffer) {
    const auto &[handle, type, elements, repeats] = buffer;
    out_.text(handle);
    out_.number(numberOf(type));
    out_.number(elements);
    out_.number(repeats);
  }

  void hostAccess(const graph::HostAccessDef &access) {
    const auto &[handle, write, type, elements] = access;
    out_.text(handle);
    out_.number(write);
    out_.number(numberOf(type));
    view(elements);
  }

  void view(const graph::View &v) {
    numbers(v.shape());
    each(v.runs(), [this](const auto &r) { run(r); });
  }

  void view(const graph::TypedView &v) {
    const auto &[type, elements] = v;
    out_.number(numberOf(type));
    view(elements);
  }

  void part(const poplar::PrintTensorFmt &f) {
    const auto &[threshold, edge, lineWidth, digits, floatFormat, separator, open, close] = f;
    for (const std::uint64_t figure :
         {std::uint64_t{threshold}, std::uint64_t{edge}, std::uint64_t{lineWidth},
          std::uint64_t{digits}, numberOf(floatFormat), numberOf(separator), numberOf(open),
          numberOf(close)})
      out_.number(figure);
  }

  /// Encodes a program. If it occurs several times, later occurrences are encoded by number.
  void program(const graph::ProgramNode *node) {
    if (node == nullptr)
      return out_.number(0);
    const auto [known, isNew] = nodeNumbers_.try_emplace(node, nodeNumbers_.size() + 1);
    out_.number(known->second);
    if (!isNew)
      return;
    const auto &[name, kind] = *node;
    out_.text(name);
    out_.number(kind.index());
    graph::visitMembers(*node, [this](const auto &member) { part(member); });
  }

  template <class Number>
    requires std::is_integral_v<Number> || std::is_enum_v<Number>
  void part(Number number) {
    out_.difference(static_cast<std::int64_t>(number));
  }
  void part(const std::string &text) { out_.text(text); }
  void part(const graph::TypedView &tensor) { view(tensor); }
  void part(const std::optional<graph::TypedView> &tensor) {
    out_.number(tensor.has_value());
    if (tensor)
      view(*tensor);
  }
  void part(const graph::ProgramPtr &child) { program(child.get()); }
  void part(const graph::kind::Switch::Case &one) {
    const auto &[value, body] = one;
    part(value);
    part(body);
  }
  void part(const std::pair<const unsigned, unsigned> &senderAndReceiver) {
    out_.number(senderAndReceiver.first);
    out_.number(senderAndReceiver.second);
  }
  template <class Item> void part(const std::vector<Item> &list) {
    each(list, [this](const auto &item) { this->part(item); });
  }
  void part(const std::map<unsigned, unsigned> &replicaMap) {
    each(replicaMap, [this](const auto &entry) { part(entry); });
  }

  const Model &model_;
  KeyStream &out_;
  std::vector<std::uint32_t> typeNumber_; ///< among used types
  std::int64_t lastTile_ = 0, lastVertex_ = 0;
  std::unordered_map<const graph::ProgramNode *, std::uint64_t> nodeNumbers_;
};

} // namespace

std::string graphKey(const Model &model, std::span<const graph::ProgramPtr> programs,
                     const TargetMemory &memory, const CycleEstimate &estimate,
                     const sync::Scheme &scheme) {
  KeyStream out;
  const auto &[base, bytes, slotBits, workers, sharing, mayOverflow, checked] = memory;
  for (const std::uint64_t figure :
       {std::uint64_t{base}, bytes, std::uint64_t{slotBits}, std::uint64_t{workers},
        std::uint64_t{sharing}, std::uint64_t{mayOverflow}, std::uint64_t{checked}})
    out.number(figure);
  const auto &[configuration, replicasIndependently, software] = scheme;
  out.number(numberOf(configuration));
  out.number(replicasIndependently);
  out.number(software);
  GraphWriter writer(model, out);
  writer.model(estimate);
  writer.programs(programs);
  return out.finish();
}

} // namespace copse::compiler
