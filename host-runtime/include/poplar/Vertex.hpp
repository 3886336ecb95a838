#pragma once

// popc compares the text of a source with and without __IPU__. Both runs define
// __COPSE_SAME_HEADERS__, so that this header is not a difference.
#if defined(__IPU__) || defined(__COPSE_SAME_HEADERS__)
#include "ipu_builtins.h" // the tile's compiler knows them, and vectors such as float2, without a header
#endif

#include "poplar/CodeletHeaders.hpp"
#include "poplar/FieldTypes.hpp"
#include "poplar/HalfFloat.hpp"
#include "poplar/InOutTypes.hpp"
#include "poplar/QuarterFloat.hpp"
#include "poplar/VectorLayout.hpp"
#include "poplar/VectorListTypes.hpp"

// WORKER_ALIGN aligns the entry point of a worker on the tile; native code needs no alignment.
#ifndef WORKER_ALIGN
#define WORKER_ALIGN
#endif

namespace poplar {

using std::is_integral_v; // codelets of PopLibs 3.4 name it so

/// Base of a codelet whose compute() runs once, on one worker. See User guide, 3.1.
class Vertex {};

/// Base of a codelet whose compute(unsigned workerId) runs once on every worker. See User guide,
/// 3.3.
class MultiVertex {
public:
  /// Returns Target::getNumWorkerContexts(), by which the host divides work, on CPU targets too.
  static constexpr unsigned numWorkers() { return 6; }
};

/// Base of a codelet whose compute() runs on the tile's supervisor. See User guide, 7.1.1.
class SupervisorVertex {};

/// Is SupervisorVertex if \p useSupervisor, else Vertex.
template <bool useSupervisor>
using SupervisorVertexIf = typename std::conditional<useSupervisor, SupervisorVertex, Vertex>::type;

} // namespace poplar
