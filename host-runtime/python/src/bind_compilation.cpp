#include "bindings.hpp"
#include "sequence.hpp"

#include <pva/pva.hpp>

namespace copse::python {
namespace {

namespace py = pybind11;

void bindVertices(py::module_ &module) {
  py::class_<pva::VertexType>(module, "VertexType")
      .def_property_readonly("name", &pva::VertexType::name);
  py::class_<pva::Vertex>(module, "Vertex").def_property_readonly("type", &pva::Vertex::type);
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
      .def_property_readonly("overflowed", &pva::MemoryCategory::overflowed);
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
      .def_property_readonly("stack", &MemoryByCategory::stack);
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

} // namespace

void bindCompilation(py::module_ &module) {
  bindVertices(module);
  bindMemory(module);
  bindTiles(module);
  py::class_<pva::ComputeSet>(module, "ComputeSet")
      .def_property_readonly("name", &pva::ComputeSet::name)
      .def_property_readonly("vertices", &pva::ComputeSet::vertices);
  bindSequence<pva::ComputeSet>(module, "ComputeSetSequence");
  py::class_<pva::GraphInfo>(module, "GraphInfo")
      .def_property_readonly("numVertices", &pva::GraphInfo::numVertices)
      .def_property_readonly("numComputeSets", &pva::GraphInfo::numComputeSets);
  py::class_<pva::TargetInfo>(module, "TargetInfo")
      .def_property_readonly("numTiles", &pva::TargetInfo::numTiles);
  py::class_<pva::Compilation>(module, "Compilation")
      .def_property_readonly("graph", &pva::Compilation::graph)
      .def_property_readonly("target", &pva::Compilation::target)
      .def_property_readonly("tiles", &pva::Compilation::tiles)
      .def_property_readonly("computeSets", &pva::Compilation::computeSets)
      .def_property_readonly("programs", &pva::Compilation::programs);
}

} // namespace copse::python
