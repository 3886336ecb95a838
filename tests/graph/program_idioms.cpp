// Idioms of users, which must compile as C++11 with their warnings as errors. program_test.cpp runs
// the functions.
#include "program_idioms.hpp"

#include <map>
#include <poplar/Graph.hpp>
#include <poplar/Program.hpp>
#include <string>
#include <utility>
#include <vector>

using namespace poplar;
using namespace poplar::program;

namespace {

struct Library {
  explicit Library(const DebugContext &debugContext) : di(debugContext, "library"), dnai(di) {}
  DebugInfo di;
  DebugNameAndId dnai;
};

Program pass(const Program &p) { return p; }

} // namespace

std::vector<Program> sequenceIdioms(Graph &graph) {
  Library lib("lib");
  const DebugInfo &di = lib.di;
  const DebugNameAndId &dnai = lib.dnai;
  const ComputeSet cs = graph.addComputeSet("cs");
  const Program a = Execute(cs), b = Execute(cs), c = Execute(cs);
  std::vector<Program> all;
  {
    Sequence s;
    all.push_back(s);
  }
  {
    Sequence s(DebugContext("x"));
    all.push_back(s);
  }
  {
    auto s = Sequence();
    all.push_back(s);
  }
  {
    Sequence s({}, {di});
    all.push_back(s);
  }
  {
    Sequence s{{}, {di}};
    all.push_back(s);
  }
  {
    Sequence s{{}, {dnai, "x"}};
    all.push_back(s);
  }
  {
    Sequence s{{dnai}};
    all.push_back(s);
  }
  {
    Sequence s({a, b});
    all.push_back(s);
  }
  {
    Sequence s({a, b}, {di, "n"});
    all.push_back(s);
  }
  {
    Sequence s(a, b, c);
    all.push_back(s);
  }
  {
    Sequence s{a, b, c};
    all.push_back(s);
  }
  {
    Sequence s{{a, b}, {dnai}};
    all.push_back(s);
  }
  {
    Sequence s = {pass(a)};
    all.push_back(s);
  }
  {
    Sequence s{Execute(cs, {dnai})};
    all.push_back(s);
  }
  {
    Sequence s{Repeat{100, Sequence{Execute(cs)}}};
    all.push_back(s);
  }
  {
    Sequence inner(a);
    Sequence s{inner};
    all.push_back(s);
  }
  return all;
}

std::vector<Program> programIdioms(Graph &graph) {
  Library lib("lib");
  const DebugInfo &di = lib.di;
  const DebugNameAndId &dnai = lib.dnai;
  const Tensor x = graph.addVariable(FLOAT, {4}, "x"), y = graph.addVariable(FLOAT, {4}, {di, "y"});
  const Tensor t = graph.addVariable(BOOL, {}, "t"), sel = graph.addVariable(INT, {});
  const Tensor offset = graph.addVariable(UNSIGNED_INT, {1});
  const DataStream in = graph.addHostToDeviceFIFO("in", FLOAT, 4);
  const DataStream stream = graph.addDeviceToHostFIFO("out", FLOAT, 4, {{"bufferingDepth", "2"}});
  const RemoteBuffer buffer = graph.addRemoteBuffer("buffer", FLOAT, 4);
  const Program p0 = Sequence(), p1 = Sequence();
  Program dflt = Sequence();
  const std::string name = "name";

  Program p = Copy(x, y);
  std::vector<Program> v{p, p0};
  Sequence prog;
  prog.add(Copy(x, y, false, {di}));
  prog.add(Copy(x, stream, false));
  prog.add(Copy(x, stream, "name"));
  prog.add(Copy(x, y, "name"));
  prog.add(Copy(in, y, "name"));
  prog.add(Copy(x, y, name.c_str()));
  prog.add(Copy(in, y));
  prog.add(Copy(in, y, true, {dnai, "x"}));
  prog.add(Copy(buffer, x));
  prog.add(Copy(x, buffer, {dnai}));
  prog.add(Copy(buffer, x, offset));
  prog.add(Copy(x, buffer, offset, "named"));
  v.push_back(prog);
  v.push_back(Switch(sel, {{0, p0}, {1, p1}}, {di}));
  v.push_back(Switch(sel, {{0, p0}}, std::move(dflt), {dnai}));
  v.push_back(Switch(sel, Sequence()).add(1, p0).add(2, p1));
  v.push_back(If(t, Sequence(), p0));
  v.push_back(RepeatWhileTrue(Sequence(), t, p0, {dnai, "loop"}));
  v.push_back(RepeatWhileFalse(p0, t.reshape({1}), p0));
  v.push_back(Call(graph.addFunction(prog), {di}));
  v.push_back(PrintTensor(x));
  v.push_back(PrintTensor(x, {di}));
  v.push_back(PrintTensor("title", x));
  v.push_back(PrintTensor(name, x, {di}));
  v.push_back(Sync(SyncType::GLOBAL));
  v.push_back(WriteUndef(x, {di}));
  v.push_back(AssumeEqualAcrossReplicas(x));
  v.push_back(AssumeEqualAcrossReplicas({x, y}));
  v.push_back(Abort("message"));
  v.push_back(AbortOnCondition(t, "message"));
  v.push_back(ErrorProgram("message", x, {di}));
  v.push_back(Block(prog, "block"));
  return v;
}

std::vector<Tensor> graphIdioms(Graph &graph) {
  Library lib("lib");
  const std::vector<unsigned> vec = {1, 2, 3};
  const std::vector<float> floats = {1, 2, 3};
  std::vector<Tensor> ts;
  ts.push_back(graph.addVariable(FLOAT, {{3, 10, 3}}));
  ts.push_back(graph.addVariable(HALF, {}, VariableMappingMethod::LINEAR, {lib.di, "v"}));
  ts.push_back(graph.addVariable(FLOAT, ts[0].shape(), std::string("text")));
  ts.push_back(graph.addConstant(HALF, {}, 0.5f));
  ts.push_back(graph.addConstant(FLOAT, {3}, 0));
  ts.push_back(graph.addConstant<unsigned>(UNSIGNED_INT, {}, 0));
  ts.push_back(graph.addConstant<float>(FLOAT, {2}, {1.0f, 2.0f}));
  ts.push_back(graph.addConstant(UNSIGNED_SHORT, {3}, vec.data(), "data"));
  ts.push_back(graph.addConstant(UNSIGNED_INT, {3}, ArrayRef<unsigned>(vec)));
  ts.push_back(graph.addConstant<unsigned>(UNSIGNED_INT, {3}, ArrayRef<unsigned>(vec)));
  ts.push_back(graph.addConstant<float>(HALF, {3}, floats));
  ts.push_back(graph.addConstant(FLOAT, {3}, floats, {lib.dnai}));
  ts.push_back(graph.addConstant(BOOL, {2}, true));
  ts.push_back(graph.addConstant(INT, {2}, static_cast<const void *>(vec.data()),
                                 TypeTraits::make<unsigned>(), false));
  ts.push_back(graph.addConstantHalf(HALF, {0}, std::uint16_t(0)));
  const Tensor t = ts[0];
  ts.push_back(t.slice(0, 1));
  ts.push_back(t.slice({0, 1}));
  ts.push_back(t.slice({0, 1}, 1));
  ts.push_back(t.slice({0, 0, 0}, {1, 2, 3}));
  ts.push_back(t.slice(0, 1, 2));
  ts.push_back(t.index({1, 2}));
  ts.push_back(t[0][1]);
  ts.push_back(concat(t.slices({{0, 1}, {2, 3}})));
  ts.push_back(concat(t.slices(std::vector<std::vector<Interval>>{{{0, 1}, {2, 3}}})));
  ts.push_back(concat(t.slices(std::vector<unsigned>{0, 2}, 1), 1));
  ts.push_back(concat({t, t}, 1));
  ts.push_back(concat(t, t));
  ts.push_back(append(t, t[0]));
  ts.push_back(t.dimShuffle({2, 0, 1}).reshape({3, 30}).transpose().flatten());
  ts.push_back(t.dimShufflePartial({0}, {2}).dimRoll(1).expand({0, 3}).squeeze({0}));
  ts.push_back(t.reinterpret(INT).upsample(2, 0, UpsampleMethod::REPEAT).reverse(1));
  graph.setInitialValue(t[0][0], ArrayRef<float>(floats));
  graph.setInitialValue<float>(t[0][1], floats);
  graph.setInitialValue<float>(t[0][1], {1.0f, 2.0f, 3.0f});
  graph.setInitialValue(t, 1);
  graph.setTileMapping(t, 0);
  return ts;
}

// Overloads of vertex functions. They have no codelet, so this is only compiled.
void vertexIdioms(Graph &graph, const Tensor &t) {
  enum class Mode : unsigned char { A };
  const std::vector<Tensor> list{t, t};
  const std::vector<std::vector<unsigned>> nested{{1, 2}, {3}};
  const ComputeSet cs = graph.addComputeSet("cs");
  auto v = graph.addVertex(cs, "T");
  v = graph.addVertex(cs, "T", {{"a", t}});
  v = graph.addVertex(cs, std::string("T"),
                      {{"a", t}, {"b", t[0]}, {"c", list}, {"d", 3.0f}, {"e", {t, t}}});
  graph.connect(v["a"], t);
  graph.connect(v["a"], list);
  graph.connect(v["a"], {t, t});
  graph.connect(v["a"], t.slices({{0, 1}, {2, 3}}));
  graph.connect(v["a"][0], t);
  graph.connect(v["a"], 1.0f);
  graph.setFieldSize(v["a"], 3);
  graph.setInitialValue(v["a"], std::size_t(3));
  graph.setInitialValue(v["a"], Mode::A);
  graph.setInitialValue(v["a"], true);
  graph.setInitialValue(v["a"], std::vector<unsigned>{1, 2});
  graph.setInitialValue<unsigned>(v["a"], {1u, 2u});
  graph.setInitialValue(v["a"], ArrayRef<std::uint16_t>());
  graph.setInitialValue(v["a"], nested);
  graph.setPerfEstimate(v, 10);
  graph.registerPerfEstimator("T", [](const VertexIntrospector &, const Target &) { return 10; });
}

std::map<Type, Tensor> keyedByType(const Tensor &t) { return {{t.elementType(), t}}; }
