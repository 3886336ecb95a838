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

// So do they with the standard library's.
template <typename... T>
using Containers =
    Names<std::array<T, 1>..., std::map<T, T>..., std::set<T>..., std::unordered_map<T, T>...,
          std::unordered_set<T>..., std::vector<T>..., std::tuple<T...>, std::function<T()>...>;

float standardNames(const std::vector<float> &values, Containers<int>) {
  assert(!values.empty() && values.size() < UINT_MAX);
  float first = std::numeric_limits<float>::max();
  std::memcpy(&first, values.data(), sizeof first);
  std::cout << std::sqrt(first) << std::endl;
  if (std::getenv("none") != nullptr)
    std::exit(EXIT_FAILURE);
  return std::max(first, std::accumulate(values.begin(), values.end(), 0.0f));
}
