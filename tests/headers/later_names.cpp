// Names of later releases (compiled only, also as C++11).
#include <poplar/DeviceManager.hpp>
#include <poplar/Engine.hpp>
#include <poplar/EngineOptions.hpp>
#include <poplar/FunctionBufferMappingType.hpp>
#include <poplar/HostFunctionCallback.hpp>
#include <poplar/PrintTensor.hpp>
#include <poplar/RuntimeOptions.hpp>
#include <poplar/StreamCallback.hpp>
#include <poplar/TypeConversion.hpp>
#include <pva/pva.hpp>
#include <pvti/pvti.hpp>

namespace later {

using namespace poplar;
using namespace poplar::program;

Sequence printed(const Tensor &t) {
  const PrintTensorFmt few(100, 2), plain(1000, 3, 0, 0, PrintTensorFmt::FloatFormat::None);
  Sequence all{PrintTensor(t), PrintTensor(t, {}), PrintTensor("t", t, {}), PrintTensor(t, few)};
  all.add(PrintTensor("t", t, plain, "named"));
  return all;
}

void converted(float value, unsigned char *out) {
  convertToDeviceType(HALF, gccs::ArrayRef<const float>(&value, 1U), out);
  convertToDeviceType(QUARTER, QuarterMetadata(QuarterMetadata::Format::F143, 0),
                      gccs::ArrayRef<const float>(&value, 1U), out);
}

void named(std::vector<Sequence> &sequences) { sequences.push_back(DebugContext("name")); }

int scaled(const float *values, std::size_t n, unsigned char *out) {
  const gccs::ArrayRef<float> in(values, n);
  const QuarterMetadata metadata = calculateMetadataForConversion(
      QUARTER, in, QuarterMetadata::Format::F143, CostMetric::MEAN_SQUARE_ERROR);
  convertToDeviceType(QUARTER, metadata, in, out, true);
  return metadata.getScale();
}

struct Zeros final : StreamCallback {
  Result prefetch(void *p) override { return fetch(p), Result::Success; }
  void fetch(void *p) override { *static_cast<float *>(p) = 0; }
};
void connectedToZeros(Engine &engine) {
  engine.connectStreamToCallback("in", std::unique_ptr<Zeros>(new Zeros));
}

struct Doubler : HostCallback {
  void operator()(ArrayRef<const void *> inputs, ArrayRef<void *> outputs) override {
    *static_cast<float *>(outputs[0]) = 2 * *static_cast<const float *>(inputs[0]);
  }
};
void connected(Engine &engine) {
  engine.connectHostFunction("double", std::unique_ptr<Doubler>(new Doubler));
}

unsigned depths(const Target &target) {
  return target.getFp32ConvUnitMaxPipelineDepth() + target.getFp16ConvUnitMaxPipelineDepth() +
         target.getFp8ConvUnitMaxPipelineDepth() + target.getQuarterVectorWidth();
}

// A library's own function of a name that poplar has, too: calls find both, and take the library's.
} // namespace later
namespace library {
poplar::Tensor createConstantMetadataTensor(poplar::Graph &graph,
                                            poplar::QuarterMetadata::Format format, int scale);
} // namespace library
namespace later {
using namespace library;

template <typename T>
void quarters(Graph &graph, Type type, const std::vector<std::size_t> &shape, T value) {
  const Tensor metadata = createConstantMetadataTensor(graph, QuarterMetadata::Format::F143, 1);
  const Tensor t = graph.addVariable(type, {}, shape, {"name"});
  const Tensor u = graph.addVariable(type, t.getMetadata(), shape);
  graph.addVariable(type, {}, shape, VariableMappingMethod::LINEAR, "name");
  graph.addConstant(type, u.getMetadata(), {0}, 0, "name");
  graph.addConstant<T>(type, u.getMetadata(), u.shape(), value, "name");
  graph.addConstant(type, metadata, shape, std::vector<float>{1, 2});
  graph.addConstant(type, metadata, shape, static_cast<const float *>(nullptr));
  graph.setInitialValue(metadata, QuarterMetadata(QuarterMetadata::Format::F152, 0).getBinary());
  if (type.requiresMetadata() && QuarterMetadata() != QuarterMetadata::fromBits(1))
    graph.clone(type, metadata, u, "name");
  graph.clone(u.getMetadata(), u, {"name"}, TensorCloneMethod::CREATE_NEW_ORDER);
}
template void quarters(Graph &, Type, const std::vector<std::size_t> &, float);
template void quarters(Graph &, Type, const std::vector<std::size_t> &, long);

QuarterMetadata transferred(Engine &engine, std::vector<char> &raw, std::vector<float> &values) {
  QuarterMetadata metadata;
  engine.writeTensor("in", metadata, raw.data(), raw.data() + raw.size());
  engine.readTensor("out", metadata, raw.data(), raw.data() + raw.size());
  convertToDeviceType(HALF, values, raw.data());
  convertToDeviceType(QUARTER, metadata, values, raw.data());
  return metadata;
}

std::size_t bounds(const Interval &interval) { return interval.upper() - interval.lower(); }

Sequence loaded(Graph &graph, const Function &function) {
  const FunctionBuffer buffer =
      graph.addFunctionBuffer(function, FunctionBufferMappingType::REMOTE);
  return Sequence{Copy(buffer, function, "load"), Call(function)};
}

Tensor simplified(const Graph &graph, const Tensor &t) {
  const TensorRearranger rearranger = graph.getSimplifyingRearranger(t);
  const StorageInfo info = graph.getStorageInfo(t);
  const Tensor simple = rearranger.rearrange(t);
  return info.numBytes == 0 ? simple : rearranger.undoRearrangement(simple);
}

struct InPieces : ResumableStreamCallback {
  Result resume(void *) override { return Success; }
};
void connected(Engine &engine, const DataStream &stream) {
  engine.connectStreamToCallback(stream, std::unique_ptr<InPieces>(new InPieces));
}

bool ofRows(const RemoteBuffer &buffer) {
  return buffer.getHostToIpuStream().type() == DataStreamType::HostToDeviceBuffer &&
         buffer.getIpuToHostStream().type() == DataStreamType::DeviceToHostBuffer;
}

Engine optioned(Graph &&graph, const Program &program) {
  OptionFlags flags;
  readJSONFromEnv("MY_OPTIONS", flags);
  const EngineOptions options(flags, graph.getTarget(), 2);
  const RuntimeOptions runtime({{"target.hostSyncTimeout", "10"}});
  if (hash_value(options) == std::hash<EngineOptions>()(options))
    return Engine(compileGraph(std::move(graph), {program}, options), runtime);
  return Engine(graph, program, options);
}

void traced(pvti::TraceChannel &channel, const std::string &label) {
  const pvti::Metadata metadata(pvti::createJsonMetadata("{}"));
  pvti::Tracepoint::begin(&channel, label, &metadata);
}

// Names that a public binding of SDK 3.x wraps.
Type &typeOfFloat() { return FLOAT; }

void converted(const QuarterMetadata &metadata, const std::vector<float> &values, void *to) {
  convertToDeviceType(QUARTER, metadata, values, to, true);
}

Tensor broughtTogether(Graph &graph, const Tensor &metadata, const Tensor &t, VertexRef v) {
  graph.setPerfEstimate(v, VertexPerfEstimate(10, 2));
  const Graph::TileToTensorMapping mapping = graph.getTileMapping(t, true, false);
  graph.setTileMapping(t, mapping);
  const Tensor zero = graph.addConstant<float>(FLOAT, {16, 1}, {0.});
  return concat(graph.cloneN(QUARTER, metadata, t, 2), graph.cloneN(metadata, zero, 2));
}

struct Resumed : ResumableStreamCallback {
  Result resume(void *) override { return isAwaiting() ? Success : NotAvailable; }
};
void ended(StreamCallbackBase &callback) { callback.complete(); }

void driven(Engine &engine, const Device &device, std::vector<int> &row) {
  engine.prepare(device, RuntimeOptions());
  engine.run(0, "name", RuntimeOptions());
  engine.copyToRemoteBuffer(ArrayRef<int>(row), "rows", 0);
  engine.copyFromRemoteBuffer("rows", ArrayRef<int>(row), 0, 1);
  engine.insertSimulatedError(errorCodeFromString("LINK_DOWN"));
}

std::size_t known(const Target &target, const ProfileValue &value, const VariableRef &variable) {
  return target.hash() + target.makeFpIctlValue(true, true, true, false, false) +
         value.toUintVector().size() + variable.hash() + Type(HALF).hash() + OptionFlags().size() +
         (value.type() == ProfileValue::Type::BOOL_ ? 1 : 0);
}

void plotted(double loss) { pvti::Graph("loss", "%").addSeries("training").add(loss); }

// Names of a profile that only SDK examples use.
bool plain(const pva::Block &block) {
  return block.isCommon() && !block.isOverflow() && !block.isBlockFlush();
}

} // namespace later
