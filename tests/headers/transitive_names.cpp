// Programs include few headers and expect the rest: Engine.hpp alone brings all of these names.
#include <poplar/Engine.hpp>

using namespace poplar;
using namespace poplar::program;

template <typename... T> struct Names {};
using All = Names<Graph, Tensor, Type, Target, Device, DataStream, RemoteBuffer, OptionFlags,
                  DebugContext, DebugInfo, DebugNameAndId, Interval, StringRef, ArrayRef<Tensor>,
                  Program, Sequence, Copy, Execute, Executable, Engine, ProfileValue,
                  StreamCallback, StreamCallbackHandle, ProgressFunc, poplar_error,
                  graph_memory_allocation_error, TargetType, ReplicatedStreamMode, VertexRef,
                  FieldRef, ComputeSet, replication_factor, VertexIntrospector, PerfEstimateFunc>;

All names() { return All(); }
