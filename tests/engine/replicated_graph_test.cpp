#include "devices.hpp"

#include <algorithm>
#include <functional>
#include <iterator>
#include <map>
#include <numeric>
#include <sstream>

namespace copse::test {
namespace {

using namespace poplar;
using namespace poplar::program;
using ::testing::Each;

constexpr const char *kReplicatedGraphCodelets = R"(
#include <poplar/Vertex.hpp>
using namespace poplar;
class AddTo : public Vertex {
public:
  InOut<unsigned> x;
  Input<unsigned> y;
  unsigned scale;
  bool compute() { *x += scale * *y; return true; }
};
class IsBelow : public Vertex {
public:
  Input<unsigned> x, limit;
  Output<bool> below;
  bool compute() { *below = *x < *limit; return *x < *limit; }
};
)";

/// Tests Graph::createReplicatedGraph (guide, 2.5.1): as many replicas as the device has tiles for,
/// up to four. (The first device has one tile.)
class ReplicatedGraph : public OnEveryDevice {
protected:
  ReplicatedGraph()
      : replicas_(graph_.getTarget().getNumTiles() % 4 == 0 ? 4 : 2),
        inner_(graph_.createReplicatedGraph(replicas_)) {
    std::stringstream source(kReplicatedGraphCodelets);
    graph_.addCodelets(source);
    set_ = inner_.addComputeSet("set");
    self_ = inner_.addReplicationIndexConstant("self");
    inner_.setTileMapping(self_, 0);
    x_ = replicated(UNSIGNED_INT, {}, "x");
    graph_.createHostRead("x", graph_.getNonReplicatedTensor(x_));
    graph_.createHostWrite("x", graph_.getNonReplicatedTensor(x_));
  }
  Tensor replicated(const Type &type, std::vector<std::size_t> shape, const char *name) {
    const Tensor t = inner_.addVariable(type, shape, name);
    inner_.setTileMapping(t, inner_.getTarget().getNumTiles() - 1);
    return t;
  }
  VertexRef vertex(const char *type, ArrayRef<Graph::ConnectionDesc> connections) {
    const VertexRef v = inner_.addVertex(set_, type, connections);
    inner_.setTileMapping(v, 0);
    return v;
  }
  std::vector<unsigned> valuesAfter(const Program &program) {
    Engine engine = load(program);
    engine.run();
    return read<unsigned>(engine, "x", replicas_);
  }
  std::vector<unsigned> eachReplica(const std::function<unsigned(unsigned)> &f) const {
    std::vector<unsigned> values;
    for (unsigned r = 0; r < replicas_; ++r)
      values.push_back(f(r));
    return values;
  }

  unsigned replicas_;
  Graph inner_;
  ComputeSet set_;
  Tensor self_, x_;
};
INSTANTIATE_TEST_SUITE_P(Devices, ReplicatedGraph,
                         ::testing::ValuesIn(std::begin(kDevices) + 1, std::end(kDevices)),
                         deviceName);

TEST_P(ReplicatedGraph, HasATargetOfOneGroupOfTiles) {
  EXPECT_EQ(inner_.getTarget().getNumTiles() * replicas_, graph_.getTarget().getNumTiles());
  EXPECT_EQ(inner_.getReplicationFactor(), replicas_);
  EXPECT_EQ(graph_.getReplicationFactor(), 1u);
  EXPECT_EQ(inner_.getTopLevelGraph().getReplicationFactor(), 1u);
}

TEST_P(ReplicatedGraph, CopiesOnAllReplicas) {
  EXPECT_EQ(valuesAfter(Copy(self_, x_)), eachReplica([](unsigned r) { return r; }));
}

TEST_P(ReplicatedGraph, RunsItsVerticesOnAllReplicas) {
  const VertexRef v = vertex("AddTo", {{"x", x_}, {"y", self_}});
  inner_.setInitialValue(v["scale"], 10u);
  inner_.setInitialValue(x_, 5u);
  EXPECT_EQ(valuesAfter(Repeat(2, Execute(set_))),
            eachReplica([](unsigned r) { return 5 + 20 * r; }));
}

TEST_P(ReplicatedGraph, MixesWithProgramsOfItsParent) {
  const Tensor all = graph_.getNonReplicatedTensor(x_);
  const Tensor y = hostVariable(UNSIGNED_INT, {replicas_}, "y");
  Engine engine = load(Sequence({Copy(y, all), Execute(set_), Copy(all.reverse(0), y)}));
  std::vector<unsigned> values(replicas_);
  std::iota(values.begin(), values.end(), 30u);
  write(engine, "y", values);
  engine.run();
  std::reverse(values.begin(), values.end());
  EXPECT_EQ(read<unsigned>(engine, "y", replicas_), values);
}

TEST_P(ReplicatedGraph, ReadsTensorsOfItsParentOnEveryReplica) {
  const Tensor one = variable(UNSIGNED_INT, {}, "one");
  graph_.setInitialValue(one, 3u);
  const VertexRef v = vertex("AddTo", {{"x", x_}, {"y", one}});
  inner_.setInitialValue(v["scale"], 1u);
  EXPECT_THAT(valuesAfter(Sequence({Copy(one, x_), Execute(set_)})), Each(6u));
}

TEST_P(ReplicatedGraph, SharesComputeSetsWithItsParent) {
  const VertexRef v = vertex("AddTo", {{"x", x_}, {"y", self_}});
  inner_.setInitialValue(v["scale"], 1u);
  const Tensor y = hostVariable(UNSIGNED_INT, {}, "y");
  const VertexRef w = graph_.addVertex(set_, "AddTo", {{"x", y}, {"y", y}});
  graph_.setInitialValue(w["scale"], 1u);
  graph_.setTileMapping(w, 0);
  Engine engine = load(Execute(set_));
  write<unsigned>(engine, "y", {21});
  engine.run();
  EXPECT_EQ(read<unsigned>(engine, "y", 1), std::vector<unsigned>{42});
  EXPECT_EQ(read<unsigned>(engine, "x", replicas_), eachReplica([](unsigned r) { return r; }));
}

TEST_P(ReplicatedGraph, ExchangesBetweenReplicas) {
  std::map<unsigned, unsigned> ring;
  for (unsigned r = 0; r < replicas_; ++r)
    ring[r] = (r + 1) % replicas_;
  EXPECT_EQ(valuesAfter(Sequence({Copy(self_, x_), CrossReplicaCopy(x_, x_, ring)})),
            eachReplica([&](unsigned r) { return (r + replicas_ - 1) % replicas_; }));
}

TEST_P(ReplicatedGraph, HasStreamsForEachReplicaAndSharedOnes) {
  const DataStream own = inner_.addHostToDeviceFIFO("own", UNSIGNED_INT, 1);
  const DataStream shared =
      inner_.addHostToDeviceFIFO("shared", UNSIGNED_INT, 1, ReplicatedStreamMode::BROADCAST);
  const DataStream out = inner_.addDeviceToHostFIFO("out", UNSIGNED_INT, 2);
  const DataStream single = graph_.addHostToDeviceFIFO("single", UNSIGNED_INT, replicas_);
  EXPECT_EQ(own.replicationFactor(), replicas_);
  EXPECT_EQ(single.replicationFactor(), 1u);
  const Tensor y = replicated(UNSIGNED_INT, {2}, "y");
  Engine engine =
      load(Sequence({Copy(single, graph_.getNonReplicatedTensor(x_)), Copy(own, y.slice(0, 1)),
                     Copy(shared, y.slice(1, 2)), Copy(y, out)}));
  // Two transfers of the replicated stream: the buffer serves all replicas in turn.
  std::vector<unsigned> source(2 * replicas_), sink(2 * replicas_), all(replicas_, 8);
  std::iota(source.begin(), source.end(), 100u);
  unsigned common = 99;
  engine.connectStream("own", source.data(), source.data() + source.size());
  engine.connectStream("shared", &common, &common + 1);
  engine.connectStream("out", sink.data(), sink.data() + sink.size());
  engine.connectStream("single", all.data(), all.data() + all.size());
  engine.run();
  engine.run();
  for (unsigned r = 0; r < replicas_; ++r) {
    EXPECT_EQ(sink[2 * r], 100 + replicas_ + r);
    EXPECT_EQ(sink[2 * r + 1], 99u);
  }
  EXPECT_THAT(read<unsigned>(engine, "x", replicas_), Each(8u));
}

TEST_P(ReplicatedGraph, CallsBackByTheNumberOfTheReplica) {
  const DataStream in = inner_.addHostToDeviceFIFO("in", UNSIGNED_INT, 1);
  Engine engine = load(Copy(in, x_.reshape({1})));
  for (unsigned r = 0; r < replicas_; ++r)
    engine.connectStreamToCallback("in", r, [r](void *p) { *static_cast<unsigned *>(p) = r * r; });
  engine.run();
  EXPECT_EQ(read<unsigned>(engine, "x", replicas_), eachReplica([](unsigned r) { return r * r; }));
  EXPECT_THROW(engine.connectStreamToCallback("in", replicas_, [](void *) {}),
               stream_connection_error);
}

TEST_P(ReplicatedGraph, HasRemoteRowsForEachReplica) {
  const RemoteBuffer buffer = inner_.addRemoteBuffer("b", UNSIGNED_INT, 1, 2 * replicas_);
  Engine engine = load(Sequence(
      {Copy(self_, x_), Copy(buffer, x_.reshape({1}), x_), Copy(x_.reshape({1}), buffer, self_)}));
  for (unsigned r = 0; r < replicas_; ++r)
    for (unsigned row = 0; row < 2 * replicas_; ++row) {
      const unsigned value = 1000 * r + row;
      engine.copyToRemoteBuffer(&value, "b", row, r);
    }
  engine.run(); // each takes the row of its own number
  EXPECT_EQ(read<unsigned>(engine, "x", replicas_),
            eachReplica([](unsigned r) { return 1001 * r; }));
  unsigned value = 0;
  EXPECT_THROW(engine.copyFromRemoteBuffer("b", &value, 0, replicas_), poplar_error);
}

TEST_P(ReplicatedGraph, DecidesForEachReplica) {
  const Tensor isOne = replicated(BOOL, {}, "isOne");
  const Tensor one = inner_.addConstant<unsigned>(UNSIGNED_INT, {}, 1u);
  inner_.setTileMapping(one, 0);
  vertex("IsBelow", {{"x", self_}, {"limit", one}, {"below", isOne}});
  const ComputeSet add = inner_.addComputeSet("add");
  const VertexRef v = inner_.addVertex(add, "AddTo", {{"x", x_}, {"y", one}});
  inner_.setInitialValue(v["scale"], 7u);
  inner_.setTileMapping(v, 0);
  const Function twice = inner_.addFunction(Repeat(2, Execute(add)));
  const Program program =
      Sequence({Execute(set_), If(isOne, Call(twice), Sequence({Copy(one, x_)}))});
  EXPECT_EQ(valuesAfter(program), eachReplica([](unsigned r) { return r == 0 ? 14 : 1; }));
}

TEST_P(ReplicatedGraph, LoopsAsOftenAsEachReplicaNeeds) {
  const Tensor goOn = replicated(BOOL, {}, "goOn");
  const Tensor limit = replicated(UNSIGNED_INT, {}, "limit");
  const Tensor one = inner_.addConstant<unsigned>(UNSIGNED_INT, {}, 1u);
  inner_.setTileMapping(one, 0);
  vertex("IsBelow", {{"x", x_}, {"limit", limit}, {"below", goOn}});
  const ComputeSet add = inner_.addComputeSet("add");
  const VertexRef v = inner_.addVertex(add, "AddTo", {{"x", x_}, {"y", one}});
  inner_.setInitialValue(v["scale"], 3u);
  inner_.setTileMapping(v, 0);
  const Program program = Sequence(
      {Copy(self_, limit), Copy(self_, x_.reshape({})),
       RepeatWhileTrue(Execute(set_, goOn), goOn, Execute(add)),
       Copy(graph_.getNonReplicatedTensor(self_).reverse(0), graph_.getNonReplicatedTensor(limit)),
       RepeatWhileTrue(Execute(set_, goOn), goOn, Execute(add))});
  EXPECT_EQ(valuesAfter(program), eachReplica([&](unsigned r) {
              unsigned x = r;
              while (x < replicas_ - 1 - r)
                x += 3;
              return x;
            }));
}

TEST_P(ReplicatedGraph, ClonesThroughItsParentAreReplicated) {
  const Tensor copy = graph_.clone(x_, "copy");
  EXPECT_EQ(graph_.getNonReplicatedTensor(copy).shape(), std::vector<std::size_t>{replicas_});
  EXPECT_EQ(inner_.getTileMapping(copy), inner_.getTileMapping(x_));
  EXPECT_EQ(graph_.getTileMapping(graph_.getNonReplicatedTensor(copy)),
            graph_.getTileMapping(graph_.getNonReplicatedTensor(x_)));
  EXPECT_EQ(valuesAfter(Sequence({Copy(self_, copy), Copy(copy, x_)})),
            eachReplica([](unsigned r) { return r; }));
}

TEST_P(ReplicatedGraph, IsPrintedAsOneTensor) {
  std::ostringstream text;
  Engine engine = load(PrintTensor("self", self_));
  engine.setPrintTensorStream(text);
  engine.run();
  for (unsigned r = 0; r < replicas_; ++r)
    EXPECT_NE(text.str().find(std::to_string(r)), std::string::npos) << text.str();
}

TEST_P(ReplicatedGraph, RefusesWhatOneReplicaCannotDoAlone) {
  const Tensor p = replicated(BOOL, {}, "p"), parents = variable(UNSIGNED_INT, {}, "parents");
  const DataStream single = graph_.addHostToDeviceFIFO("single", UNSIGNED_INT, 1);
  std::map<unsigned, unsigned> ring;
  for (unsigned r = 0; r < replicas_; ++r)
    ring[r] = (r + 1) % replicas_;
  const Program programs[] = {Copy(parents, parents), CrossReplicaCopy(x_, x_, ring),
                              Copy(single, x_.reshape({1}))};
  for (const Program &program : programs)
    EXPECT_THROW(load(If(p, program, Sequence())), graph_replication_error);
  EXPECT_THROW(load(Copy(x_, parents)), graph_replication_error);
}

} // namespace
} // namespace copse::test
