#include "bindings.hpp"
#include "sequence.hpp"

#include <pva/pva.hpp>

namespace copse::python {
namespace {

namespace py = pybind11;

void bindVertices(py::module_ &module) {
  py::class_<pva::VertexType>(module, "VertexType")
      .def_property_readonly("name", &pva::VertexType::name)
      .def_property_readonly("size", &pva::VertexType::size);
  py::class_<pva::Vertex>(module, "Vertex")
      .def_property_readonly("type", &pva::Vertex::type)
      .def_property_readonly("codeBytes", &pva::Vertex::codeBytes)
      .def_property_readonly("countByTile",
                             [](const pva::Vertex &of) { return listOf(of.countByTile()); });
  py::class_<pva::DebugContext>(module, "DebugContext")
      .def_property_readonly("id", &pva::DebugContext::id)
      .def_property_readonly("name", &pva::DebugContext::name)
      .def_property_readonly("json", &pva::DebugContext::json);
  bindSequence<pva::Vertex>(module, "VertexSequence");
}

void bindMemory(py::module_ &module) {
  using pva::MemoryByCategory;
  py::class_<pva::MemoryRegion>(module, "MemoryRegion")
      .def_property_readonly("nonOverlapped", &pva::MemoryRegion::nonOverlapped)
      .def_property_readonly("overlapped", &pva::MemoryRegion::overlapped)
      .def_property_readonly("total", &pva::MemoryRegion::total);
  py::class_<pva::MemoryCategory>(module, "MemoryCategory")
      .def_property_readonly("nonInterleaved", &pva::MemoryCategory::nonInterleaved)
      .def_property_readonly("interleaved", &pva::MemoryCategory::interleaved)
      .def_property_readonly("overflowed", &pva::MemoryCategory::overflowed)
      .def_property_readonly("total", &pva::MemoryCategory::total);
  py::class_<MemoryByCategory>(module, "MemoryByCategory")
      .def_property_readonly("variable", &MemoryByCategory::variable)
      .def_property_readonly("constant", &MemoryByCategory::constant)
      .def_property_readonly("vertexCode", &MemoryByCategory::vertexCode)
      .def_property_readonly("vertexInstanceState", &MemoryByCategory::vertexInstanceState)
      .def_property_readonly("vertexFieldData", &MemoryByCategory::vertexFieldData)
      .def_property_readonly("vectorListDescriptor", &MemoryByCategory::vectorListDescriptor)
      .def_property_readonly("copyDescriptor", &MemoryByCategory::copyDescriptor)
      .def_property_readonly("controlCode", &MemoryByCategory::controlCode)
      .def_property_readonly("internalExchangeCode", &MemoryByCategory::internalExchangeCode)
      .def_property_readonly("hostExchangeCode", &MemoryByCategory::hostExchangeCode)
      .def_property_readonly("stack", &MemoryByCategory::stack)
      .def_property_readonly("message", &MemoryByCategory::message)
      .def_property_readonly("rearrangement", &MemoryByCategory::rearrangement);
  py::class_<pva::MemoryTotal>(module, "MemoryTotal")
      .def_property_readonly("excludingGaps", &pva::MemoryTotal::excludingGaps)
      .def_property_readonly("includingGaps", &pva::MemoryTotal::includingGaps);
}

void bindTiles(py::module_ &module) {
  py::class_<pva::TileMemory>(module, "TileMemory")
      .def_property_readonly("total", &pva::TileMemory::total)
      .def_property_readonly("category", &pva::TileMemory::category)
      .def_property_readonly("vertices", &pva::TileMemory::vertices);
  py::class_<pva::Tile>(module, "Tile").def_property_readonly("memory", &pva::Tile::memory);
  bindSequence<pva::Tile>(module, "TileSequence");
}

void bindLiveness(py::module_ &module) {
  py::class_<pva::Var>(module, "Var")
      .def_property_readonly("name", &pva::Var::name)
      .def_property_readonly("debugContext", &pva::Var::debugContext)
      .def_property_readonly("_id", &pva::Var::_id)
      .def_property_readonly("bytes", &pva::Var::bytes)
      .def_property_readonly("alwaysLive", &pva::Var::alwaysLive)
      .def_property_readonly("type", &pva::Var::type)
      .def_property_readonly("shape", [](const pva::Var &var) {
        py::list shape;
        for (const std::size_t size : var.shape())
          shape.append(size);
        return shape;
      });
  bindSequence<pva::Var>(module, "VarSequence");
  py::class_<pva::LiveMemory>(module, "LiveMemory")
      .def_property_readonly("bytes", &pva::LiveMemory::bytes)
      .def_property_readonly("variables", &pva::LiveMemory::variables);
  py::class_<pva::LivenessProgramStep>(module, "LivenessProgramStep")
      .def_property_readonly("program", &pva::LivenessProgramStep::program)
      .def_property_readonly("notAlwaysLiveMemory", &pva::LivenessProgramStep::notAlwaysLiveMemory);
  bindSequence<pva::LivenessProgramStep>(module, "LivenessProgramStepSequence");
}

/// Binds the members that popliner reads.
void bindLoweredVariables(py::module_ &module) {
  py::class_<pva::StepInterval>(module, "StepInterval")
      .def_readonly("start", &pva::StepInterval::start)
      .def_readonly("end", &pva::StepInterval::end);
  bindSequence<pva::StepInterval>(module, "StepIntervalSequence");
  py::class_<pva::EquivalenceClass>(module, "EquivalenceClass")
      .def_property_readonly("id", &pva::EquivalenceClass::id)
      .def_property_readonly("steps", &pva::EquivalenceClass::steps);
  py::class_<pva::BriefVar>(module, "BriefVar")
      .def_property_readonly("id", &pva::BriefVar::id)
      .def_property_readonly("bytes", &pva::BriefVar::bytes)
      .def_property_readonly("tileId", &pva::BriefVar::tileId)
      .def_property_readonly("equivalenceClass", &pva::BriefVar::equivalenceClass);
  bindSequence<pva::BriefVar>(module, "BriefVarSequence");
  py::class_<pva::LoweredVariables>(module, "LoweredVariables")
      .def_property_readonly("allBriefVars", &pva::LoweredVariables::allBriefVars);
}

} // namespace

void bindCompilation(py::module_ &module) {
  bindVertices(module);
  bindMemory(module);
  bindTiles(module);
  bindLiveness(module);
  bindLoweredVariables(module);
  py::class_<pva::ComputeSet>(module, "ComputeSet")
      .def_property_readonly("name", &pva::ComputeSet::name)
      .def_property_readonly("vertices", &pva::ComputeSet::vertices);
  bindSequence<pva::ComputeSet>(module, "ComputeSetSequence");
  py::class_<pva::GraphInfo>(module, "GraphInfo")
      .def_property_readonly("numVertices", &pva::GraphInfo::numVertices)
      .def_property_readonly("numComputeSets", &pva::GraphInfo::numComputeSets)
      .def_property_readonly("numVars", &pva::GraphInfo::numVars)
      .def_property_readonly("numEdges", &pva::GraphInfo::numEdges);
  py::class_<pva::IPU> ipu(module, "IPU");
  py::enum_<pva::IPU::Architecture>(ipu, "Architecture")
      .value("Ipu1", pva::IPU::Architecture::Ipu1)
      .value("Ipu2", pva::IPU::Architecture::Ipu2)
      .value("Ipu21", pva::IPU::Architecture::Ipu21)
      .value("Unknown", pva::IPU::Architecture::Unknown);
  py::class_<pva::TargetInfo>(module, "TargetInfo")
      .def_property_readonly("numTiles", &pva::TargetInfo::numTiles)
      .def_property_readonly("numIPUs", &pva::TargetInfo::numIPUs)
      .def_property_readonly("numReplicas", &pva::TargetInfo::numReplicas)
      .def_property_readonly("ipusPerReplica", &pva::TargetInfo::ipusPerReplica)
      .def_property_readonly("tilesPerIpu", &pva::TargetInfo::tilesPerIpu)
      .def_property_readonly("bytesPerTile", &pva::TargetInfo::bytesPerTile)
      .def_property_readonly("bytesPerIPU", &pva::TargetInfo::bytesPerIPU)
      .def_property_readonly("totalMemory", &pva::TargetInfo::totalMemory)
      .def_property_readonly("architecture", &pva::TargetInfo::architecture)
      .def_property_readonly("clockFrequency", &pva::TargetInfo::clockFrequency);
  py::class_<pva::Compilation>(module, "Compilation")
      .def_property_readonly("graph", &pva::Compilation::graph)
      .def_property_readonly("target", &pva::Compilation::target)
      .def_property_readonly("tiles", &pva::Compilation::tiles)
      .def_property_readonly("computeSets", &pva::Compilation::computeSets)
      .def_property_readonly("programs", &pva::Compilation::programs)
      .def_property_readonly("livenessProgramSteps", &pva::Compilation::livenessProgramSteps)
      .def_property_readonly("alwaysLiveMemory", &pva::Compilation::alwaysLiveMemory)
      .def_property_readonly("loweredVariables", &pva::Compilation::loweredVariables);
}

} // namespace copse::python
