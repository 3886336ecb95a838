// How host programs write graphs, programs and engines (compiled only, also as C++11).
#include <algorithm>
#include <functional>
#include <iostream>
#include <map>
#include <memory>
#include <poplar/CSRFunctions.hpp>
#include <poplar/CycleCount.hpp>
#include <poplar/DeviceManager.hpp>
#include <poplar/Engine.hpp>
#include <poplar/IPUModel.hpp>
#include <poplar/IeeeHalf.hpp>
#include <poplar/RandomSeed.hpp>
#include <pva/pva.hpp>
#include <sstream>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>
#if __cplusplus >= 201703L
#include <optional>
#endif

using namespace std;
using namespace poplar;
using namespace poplar::program;

namespace {

enum ProgramIndex { WRITE = 0, RUN, READ, PROGRAMS };

Device firstFree(unsigned ipus) {
  DeviceManager manager = DeviceManager::createDeviceManager();
  auto devices = manager.getDevices(TargetType::IPU, ipus, {{"syncConfiguration", "ipuAndAll"}});
  auto it = std::find_if(devices.begin(), devices.end(), [](Device &d) { return d.attach(); });
  if (it != devices.end())
    return std::move(*it);
  for (auto &device : manager.getDevices())
    if (device.getTarget().getTargetType() == TargetType::IPU &&
        device.getTarget().getNumIPUs() == ipus && device.attach())
      return std::move(device);
  IPUModel model;
  model.numIPUs = ipus;
  model.tilesPerIPU = 4;
  return model.createDevice();
}

std::vector<Device> otherDevices(const Target &target) {
  std::vector<Device> devices;
  devices.push_back(Device::createCPUDevice());
  devices.emplace_back(Device::createSimulatorDevice(target));
  devices.push_back(IPUModel("ipu1").createDevice({}, true));
  std::swap(devices[0], devices[1]);
  devices.push_back(devices[0].createVirtualDevice(2));
  return devices;
}

struct Builder {
  Device device;
  Graph graph;
  std::unique_ptr<Engine> engine;
  std::map<std::string, Tensor> tensors;
  std::unordered_map<std::string, DataStream> streams;
  std::vector<Program> programs;
  OptionFlags options;
  explicit Builder(Device d) : device(std::move(d)), graph(device.getTarget()) {}
};

void makesGraphs(Device &device) {
  Graph fromTarget(device.getTarget()), fromDevice(device);
  Graph replicated(device.getTarget(), poplar::replication_factor(2));
  Graph graph = Graph(device, replication_factor(1));
  Graph moved = std::move(graph);
  std::swap(moved, fromTarget);
  std::vector<Graph> virtualGraphs;
  virtualGraphs.emplace_back(moved.createVirtualGraph(0, 4));
  virtualGraphs.push_back(moved.createVirtualGraph(4));
  virtualGraphs.push_back(moved.createVirtualGraph({0, 1, 2}));
}

void addsCodelets(Graph &graph, const std::string &folder) {
  graph.addCodelets({"a.cpp", "b.cpp"}, "-O3 -I ..");
  graph.addCodelets(std::vector<std::string>{folder + "/a.cpp"}, "-O3");
  graph.addCodelets("codelets.gp");
  graph.addCodelets(folder + "/a.cpp");
  graph.addCodelets("a.cpp", CodeletFileType::Auto, "-O3");
  graph.addCodelets("a", CodeletFileType::CppSource, "-O2", std::cerr);
  graph.addCodelets(__FILE__);
  std::stringstream source;
  graph.addCodelets(source);
  graph.addCodelets(source, "-O3");
  graph.addCodelets(source, "-O3", std::cerr);
  graph.addCodelets(source, "-O3", std::cerr, CodeletFileType::CppSource);
}

void addsVariables(Graph &graph, int n, unsigned u, std::size_t size) {
  const std::vector<float> values(10);
  const float array[4] = {};
  std::vector<Tensor> ts;
  ts.push_back(graph.addVariable(FLOAT, {10}, "a"));
  ts.push_back(graph.addVariable(poplar::FLOAT, {size, size}, "b"));
  ts.push_back(graph.addVariable(FLOAT, {u, u, 3}, VariableMappingMethod::LINEAR, "c"));
  ts.push_back(graph.addVariable(FLOAT, {(std::size_t)n, 3}));
  ts.push_back(graph.addVariable(FLOAT, std::vector<std::size_t>(3, 4), "n" + std::to_string(3)));
  ts.push_back(graph.addVariable(equivalent_device_type<float>().value, {}, {"x"}));
  ts.push_back(graph.addConstant<float>(FLOAT, {10}, values));
  ts.push_back(graph.addConstant<float>(FLOAT, {1}, {0.f}));
  ts.push_back(graph.addConstant<float>(FLOAT, {4}, {1.f, 2.f, 3.f, 4.f}, "named"));
  ts.push_back(graph.addConstant(FLOAT, {10}, values.data()));
  ts.push_back(graph.addConstant<float>(FLOAT, {10}, &values[0]));
  ts.push_back(graph.addConstant(FLOAT, {4}, array));
  ts.push_back(graph.addConstant(FLOAT, {}, 1.0));
  ts.push_back(graph.addConstant<int>(INT, {1}, 1, "one"));
  ts.push_back(graph.addConstant<unsigned>(UNSIGNED_INT, {1}, {u}));
  ts.push_back(graph.addConstant(FLOAT, {4}, ArrayRef<float>(values.data(), 4)));
  ts.push_back(graph.addConstant(FLOAT, {2}, std::vector<float>{1, 2}));
#if __cplusplus >= 201703L
  ts.push_back(graph.addConstant(FLOAT, {10}, poplar::ArrayRef(values)));
#endif
  const Tensor &a = ts[0];
  graph.setInitialValue(a, 1.f);
  graph.setInitialValue<float>(a, {1.f, 2.f});
  graph.setInitialValue<float>(a[0], 2);
  graph.setInitialValue<float>(a, values);
  graph.setInitialValue(a, ArrayRef<float>(values));
  graph.setTileMapping(a, 0);
  graph.setTileMapping(a[0], n);
  graph.setTileMapping(a.slice(0, 5), size);
  Graph::TileToTensorMapping mapping(4);
  mapping[0].emplace_back(0, 5);
  mapping[1].push_back({5, 10});
  mapping[3] = {{0, 1}, {2, 3}};
  graph.setTileMapping(a, mapping);
  const std::vector<std::vector<poplar::Interval>> copy = graph.getTileMapping(a);
  for (const auto &tile : copy)
    for (const auto &interval : tile)
      std::cout << interval.begin() << interval.end() << interval.size() << interval;
  std::cout << a << a.shapeToString() << a.elementType() << FLOAT.toString();
  const std::unordered_set<Tensor> hashed(ts.begin(), ts.end());
  ts.push_back(graph.clone(a));
  ts.push_back(graph.clone(HALF, a, "x"));
  ts.push_back(graph.clone(a, {}, TensorCloneMethod::CREATE_NEW_ORDER));
}

void takesViews(const Tensor &t, unsigned u, int i) {
  std::vector<std::vector<Interval>> regions;
  std::vector<Tensor> ts{t[i][u],
                         t.slice(u, i),
                         t.slice(i, i + 1, i),
                         t.slice({u, 0}, {u + 1, u}),
                         t.slice(Interval{0, 1}),
                         t.slice({1, 2}, 1),
                         t.reshape({u, u}),
                         t.reshape({std::size_t(i), u}),
                         t.broadcast(u, 0),
                         t.index({0, u})};
  ts.push_back(concat({t[0], t[1]}));
  ts.push_back(concat({ts[0].expand({0}), t}, 1));
  for (const std::vector<Tensor> &some :
       {t.slices({{0, 1}}), t.slices({{0, 1}, {1, 2}}), t.slices({{0, 1}, {1, 2}}, 1),
        t.slices({Interval(0, 1)}), t.slices({0u, 2u}), t.slices({0, 2}),
        t.slices({{{0, 1}}, {{1, 2}}}), t.slices(regions), t.slices(regions[0], 1)})
    ts.insert(ts.end(), some.begin(), some.end());
  std::vector<std::size_t> shape;
  for (const auto n : t.shape())
    shape.push_back(n);
  if (t == ts[0] || t != ts[1] || t.shape() == shape)
    std::cout << t;
}

Program composes(Graph &graph, std::map<std::string, Tensor> &t) {
  const VertexRef vertex =
      graph.addVertex(graph.addComputeSet(), "V", {{"x", 1.5f}, {"y", t["a"]}});
  graph.connect(vertex["in"], 3), graph.connect(vertex["in"], std::vector<float>{1, 2});
  graph.connect(vertex["in"], ArrayRef<unsigned>({1, 2})),
      graph.connect(vertex["in"], {t["a"], t["b"]});
  const ComputeSet cs = graph.addComputeSet("cs");
  Sequence prog;
  prog.add(Repeat(10, Execute(cs)));
  prog.add(Repeat(10, Sequence{Execute(cs), Copy(t["a"], t["b"])}));
  prog.add(Repeat(10, Sequence(Execute(cs), Copy(t["a"], t["b"]))));
  prog.add(Execute(cs, t["p"], "name"));
  std::vector<std::pair<int, Program>> cases;
  cases.emplace_back(0, prog);
  cases.push_back({1, prog});
  prog.add(Switch(t["p"], cases));
  prog.add(Switch(t["p"], cases, Sequence()));
  std::vector<Sequence> sequences(3);
  sequences[0].add(prog);
  std::map<std::string, Sequence> byName;
  byName["x"].add(prog);
  std::unique_ptr<Program> owned(new Sequence(prog));
  const std::function<Program()> make = [&]() -> Program { return Sequence{Execute(cs)}; };
  prog.add(make());
  std::map<int, Function> functions;
  functions[0] = graph.addFunction(prog);
  prog.add(Call(functions[0], "call"));
  prog.add(CrossReplicaCopy(t["a"], t["b"], {{0, 1}, {1, 0}}));
  const HostFunction host = graph.addHostFunction("f", {{FLOAT, 1}}, {{FLOAT, 1}});
  prog.add(Call(host, {t["a"]}, {t["b"]}));
  const auto cycles = cycleCount(graph, prog, 0, SyncType::INTERNAL, "cycles");
  const auto older = cycleCount(graph, prog, 0, "cycles");
  setFloatingPointBehaviour(graph, prog, {true, true, true, false, true}, "fp");
  FloatingPointBehaviour behaviour;
  behaviour.esr = false;
  const auto old = getAndModifyFloatingPointBehaviour(graph, prog, {}, !behaviour);
  setFloatingPointBehaviour(graph, prog, old, {"fp"});
  setStochasticRounding(graph, prog, true);
  setHwSeeds(graph, getHwSeeds(graph, prog), prog, "seeds");
  return cycles == older ? Program(prog) : Program(Execute(cs));
}

struct Prefetching final : poplar::StreamCallback {
  explicit Prefetching(int) {}
  poplar::StreamCallback::Result prefetch(void *) override {
    return poplar::StreamCallback::Result::NotAvailable;
  }
  void fetch(void *p) noexcept override { *static_cast<float *>(p) = 1; }
  void complete() noexcept override {}
  void invalidatePrefetched() override {}
};

void makesEngines(Graph &graph, const Program &prog, std::vector<Program> progs) {
  const auto options = OptionFlags{{"debug.instrument", "true"}};
  const auto progress = [](int step, int total) { std::cout << step << total; };
  Engine a(graph, prog), b(graph, prog, {{"debug.instrument", "true"}}), c(graph, {prog}),
      d(graph, {Sequence(), prog, Sequence()}), e(graph, progs, OptionFlags{{"a", "b"}}),
      f(graph, Sequence{prog, prog}, options), g{graph, {prog, prog}, {}},
      h(graph, std::move(progs));
  auto i = Engine(graph, {prog}, {{"x", "y"}});
  Executable x = compileGraph(graph, {prog}, options, progress);
  Executable y = poplar::compileGraph(
      graph, {prog, prog}, {{"a", "b"}}, [](int, int) {}, "name");
  std::stringstream file;
  x.serialize(file);
  Engine fromFile(poplar::Executable::deserialize(file), options), direct(std::move(y));
  Engine compiled = Engine(compileGraph(std::move(graph), {prog}, options));
  std::unique_ptr<Engine> owned(new Engine(std::move(x)));
  std::vector<Engine> all;
  all.push_back(std::move(a));
#if __cplusplus >= 201703L
  std::optional<Engine> later;
  later.emplace(std::move(b));
#endif
}

void usesAnEngine(Engine &e, Device &device, const DataStream &stream) {
  std::vector<float> h(10);
  const std::vector<float> constant(10);
  float x = 0, array[3];
  e.load(device);
  e.run(), e.run(RUN), e.run(0, "name"), e.loadAndRun(device), e.loadAndRun(device, READ);
  e.writeTensor("a", constant.data(), constant.data() + constant.size());
  e.writeTensor<float>("a", constant), e.writeTensor("a", ArrayRef<float>(h)),
      e.readTensor("x", &x, &x + 1);
  e.readTensor("x", array, array + 3), e.readTensor<float>("a", h),
      e.readTensor(std::string("a"), &h[0]);
  e.connectStream("a", h.data()), e.connectStream("a", &h[0], &h[h.size()]),
      e.connectStream("b", &x);
  e.connectStream(stream.handle(), &x), e.connectStream<float>("a", h);
  const std::function<void(void *)> function;
  e.connectStreamToCallback("a", [&](void *p) { *static_cast<float *>(p) = x; });
  e.connectStreamToCallback("a", function), e.connectStreamToCallback("a", 1, function);
  e.connectStreamToCallback("a", 0, std::unique_ptr<Prefetching>(new Prefetching(1)));
  StreamCallbackHandle handle(std::unique_ptr<StreamCallback>(new Prefetching(2)));
  e.connectStreamToCallback("a", std::move(handle));
  e.connectHostFunction("f", [](ArrayRef<const void *>, ArrayRef<void *>) {});
  e.connectHostFunction("f", 1,
                        [](const void *const *, std::size_t, void *const *, std::size_t) {});
  e.copyToRemoteBuffer(constant.data(), "rows", 0), e.copyFromRemoteBuffer("rows", h.data(), 0, 1);
  e.setPrintStream(std::cout), e.setPrintTensorStream(std::cout);
  e.printProfileSummary(std::cout, {{"showExecutionSteps", "true"}});
  const auto graphProfile = e.getGraphProfile(), execution = e.getExecutionProfile();
  printProfileSummary(std::cout, graphProfile, execution, {{"showVarStorage", "true"}});
  serializeToJSON(std::cout, graphProfile, true);
  const auto start = e.getTimeStamp(), end = e.getTimeStamp();
  e.reportTiming(start, end);
  std::cout << execution["simulation"]["cycles"].asDouble();
  for (const auto &step : e.getReport().execution().steps())
    for (const auto &set : step.computeSets())
      std::cout << set.name() << set.cyclesByTile().size();
}

std::string catches() {
  try {
    throw poplar_error("text " + std::to_string(1));
  } catch (const poplar::graph_memory_allocation_error &e) {
    return e.what() + e.profilePath;
  } catch (const poplar::recoverable_runtime_error &e) {
    std::cout << e.getRecoveryAction();
    switch (e.getRecoveryAction()) {
    case RecoveryAction::IPU_RESET:
    case RecoveryAction::LINK_RESET:
    case RecoveryAction::PARTITION_RESET:
    case RecoveryAction::FULL_RESET:
      break;
    }
  } catch (const std::exception &e) {
    std::cerr << e.what();
  }
  return poplar::versionString();
}

} // namespace

void hostProgramIdioms() {
  Builder builder(firstFree(1));
  otherDevices(Target::createIPUTarget(4, "IPU-POD16", {{"ipuLinkTopology", "mesh"}}));
  makesGraphs(builder.device);
  addsCodelets(builder.graph, "folder");
  addsVariables(builder.graph, 10, 4, 4);
  takesViews(builder.tensors["a"], 1, 2);
  const Program program = composes(builder.graph, builder.tensors);
  makesEngines(builder.graph, program, builder.programs);
  usesAnEngine(*builder.engine, builder.device, builder.streams["in"]);
  catches();
  std::vector<float> floats(4);
  std::vector<std::uint16_t> halves(4);
  poplar::copyFloatToDeviceHalf(builder.device.getTarget(), floats.data(), halves.data(), 4);
  poplar::copyDeviceHalfToFloat(builder.device.getTarget(), halves.data(), floats.data(), 4);
  IeeeHalf half(1.5f);
  half += 2;
  floats[0] = half;
}
