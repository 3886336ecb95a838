#include "vertex_bytes.hpp"

#include <array>
#include <optional>

namespace copse::compiler {

using popc::Field;
using popc::FieldDirection;
using popc::FieldKind;

namespace {

/// Returns true for data in the vertex's own state, as opposed to pointers.
bool isState(const Field &field) {
  return field.direction == FieldDirection::State &&
         (field.kind == FieldKind::Scalar || field.kind == FieldKind::Vector);
}

} // namespace

VertexBytes bytesOfState(const popc::VertexType &type, const StateLayout &layout) {
  VertexBytes bytes;
  bytes.vertices = 1;
  for (std::size_t f = 0; f < type.fields.size(); ++f) {
    const Field &field = type.fields[f];
    const StateLayout::FieldPart &part = layout.fields[f];
    if (field.kind == FieldKind::VectorList)
      bytes.listDescriptors += field.bytes + part.tableBytes;
    else if (isState(field) && field.kind == FieldKind::Scalar)
      bytes.internalState += field.bytes;
    else
      bytes.edgePointers += field.bytes;
    if (isState(field))
      bytes.internalState += part.tableBytes;
    else if (field.kind != FieldKind::VectorList)
      bytes.edgePointers += part.tableBytes;
  }
  bytes.padding = layout.bytes - bytes.total();
  return bytes;
}

StateRecorder::StateRecorder(MemoryRecorder &recorder, const graph::Model &model)
    : recorder_(recorder), model_(model),
      state_(recorder.addItem({"vertexInstanceState", MemoryUse::VertexInstance, {}, {}})),
      fieldData_(recorder.addItem({"vertexFieldData", MemoryUse::VertexFieldData, {}, {}})),
      lists_(recorder.addItem({"vectorListDescriptor", MemoryUse::VectorListDescriptor, {}, {}})),
      end_(std::size_t{model.ipus} * model.tilesPerIpu, 0), bytes_(model.vertexTypes.size()) {}

void StateRecorder::add(const graph::Vertex &vertex, std::uint32_t address,
                        const StateLayout &layout) {
  const popc::VertexType &type = model_.vertexTypes[vertex.type];
  VertexBytes bytes = bytesOfState(type, layout);
  std::uint32_t &end = end_[vertex.tile];
  const std::uint32_t before = end == 0 ? 0 : address - end;
  bytes.padding += before;
  bytes_[vertex.type] += bytes;
  // Padding is attributed to what follows it.
  recorder_.add(vertex.tile, state_, address - before, type.stateBytes + before);
  std::uint32_t at = type.stateBytes;
  for (std::size_t f = 0; f < type.fields.size(); ++f) {
    const StateLayout::FieldPart &part = layout.fields[f];
    if (part.size == 0)
      continue;
    const std::uint32_t tableEnd = part.tableOffset + part.tableBytes;
    recorder_.add(vertex.tile, itemOf(type.fields[f]), address + at, tableEnd - at);
    at = tableEnd;
  }
  end = address + layout.bytes;
}

namespace {

void recordBuffers(const graph::Model &model, const VertexIndex &index, const VertexMemory &memory,
                   std::uint32_t computeSet, LiveRanges::Id range, MemoryRecorder &recorder) {
  std::array<std::optional<std::uint32_t>, 2> items; // rearrangement buffers, message buffers
  for (const std::uint32_t vertex : index.vertices[computeSet])
    for (const std::uint32_t i : index.edges[vertex]) {
      const VertexMemory::Binding &binding = memory.binding(i);
      if (!binding.ownsBuffer())
        continue;
      std::optional<std::uint32_t> &item = items[binding.fromOthers ? 1 : 0];
      if (!item) {
        const std::string kind = binding.fromOthers ? "<message:" : "<rearrangement:";
        item = recorder.addItem(
            {kind + model.computeSets[computeSet].name + ">",
             binding.fromOthers ? MemoryUse::MessageBuffer : MemoryUse::RearrangementBuffer,
             {},
             {},
             range});
        recorder.addBuffer(computeSet, *item);
      }
      const wire::Region buffer = memory.dataOf(i);
      recorder.add(buffer.tile, *item, buffer.address, buffer.bytes);
    }
}

} // namespace

std::vector<VertexBytes> recordVertices(const graph::Model &model, const VertexIndex &index,
                                        const VertexMemory &memory, const Liveness &liveness,
                                        MemoryRecorder &recorder) {
  StateRecorder states(recorder, model);
  for (std::uint32_t set = 0; set < model.computeSets.size(); ++set) {
    for (const std::uint32_t vertex : index.vertices[set]) {
      states.add(model.vertices[vertex], memory.state(vertex).address, memory.state(vertex).layout);
      for (const std::uint32_t edge : index.edges[vertex])
        for (const graph::Run &run : runsOfEdge(model, model.edges[edge]))
          recorder.addUse(set, run.variable);
    }
    recordBuffers(model, index, memory, set, liveness.computeSets[set], recorder);
  }
  return states.takeBytes();
}

} // namespace copse::compiler
