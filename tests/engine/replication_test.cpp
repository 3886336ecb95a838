#include "devices.hpp"

#include <chrono>

namespace copse::test {
namespace {

using namespace poplar;
using namespace poplar::program;
using ::testing::ElementsAre;

const struct ReplicaCase {
  const char *name;
  TargetType type;
  unsigned replicas, ipusPerReplica;
} kReplicaCases[] = {
    {"Cpu2x1", TargetType::CPU, 2, 1}, {"Model4x1", TargetType::IPU_MODEL, 4, 1},
    {"Ipu2x1", TargetType::IPU, 2, 1}, {"Ipu4x1", TargetType::IPU, 4, 1},
    {"Ipu2x2", TargetType::IPU, 2, 2}, {"Model2x4", TargetType::IPU_MODEL, 2, 4},
};

class Replicas : public ::testing::TestWithParam<ReplicaCase> {
protected:
  Replicas()
      : replicas_(GetParam().replicas),
        device_(attach(GetParam().type, replicas_ * GetParam().ipusPerReplica)),
        graph_(device_, replication_factor(replicas_)) {
    self_ = graph_.addReplicationIndexConstant("self");
    graph_.setTileMapping(self_, 0);
    x_ = graph_.addVariable(UNSIGNED_INT, {}, "x");
    graph_.setTileMapping(x_, graph_.getTarget().getNumTiles() - 1);
    graph_.createHostRead("x", x_);
    graph_.createHostWrite("x", x_);
  }
  std::vector<unsigned> valuesAfter(const Program &program) {
    Engine engine(graph_, program);
    engine.load(device_);
    engine.run();
    return valuesOf(engine);
  }
  std::vector<unsigned> valuesOf(Engine &engine) const {
    std::vector<unsigned> values(replicas_);
    engine.readTensor("x", values.data(), values.data() + replicas_);
    return values;
  }
  std::map<unsigned, unsigned> ring() const {
    std::map<unsigned, unsigned> map;
    for (unsigned r = 0; r < replicas_; ++r)
      map[r] = (r + 1) % replicas_;
    return map;
  }
  unsigned replicas_;
  Device device_;
  Graph graph_;
  Tensor self_, x_;
};
INSTANTIATE_TEST_SUITE_P(Partitions, Replicas, ::testing::ValuesIn(kReplicaCases),
                         [](const auto &p) { return p.param.name; });

TEST_P(Replicas, SeeTheirOwnIpusOnly) {
  EXPECT_EQ(graph_.getTarget().getNumIPUs(), GetParam().ipusPerReplica);
  EXPECT_EQ(graph_.getReplicationFactor(), replicas_);
}

TEST_P(Replicas, KnowTheirNumber) {
  const auto values = valuesAfter(Copy(self_, x_));
  for (unsigned r = 0; r < replicas_; ++r)
    EXPECT_EQ(values[r], r);
}

TEST_P(Replicas, PassValuesRoundARing) {
  const auto values = valuesAfter(Sequence({Copy(self_, x_), CrossReplicaCopy(x_, x_, ring())}));
  for (unsigned r = 0; r < replicas_; ++r)
    EXPECT_EQ(values[(r + 1) % replicas_], r);
}

TEST_P(Replicas, PassValuesInBothDirectionsAtOnce) {
  const Tensor back = graph_.addVariable(UNSIGNED_INT, {}, "back");
  graph_.setTileMapping(back, 0);
  std::map<unsigned, unsigned> other;
  for (const auto &[from, to] : ring())
    other[to] = from;
  const auto values = valuesAfter(
      Sequence({CrossReplicaCopy(self_, x_, ring()), CrossReplicaCopy(self_, back, other)}));
  for (unsigned r = 0; r < replicas_; ++r)
    EXPECT_EQ(values[(r + 1) % replicas_], r);
}

// The second copy sends the data that the first one receives.
TEST_P(Replicas, ForwardJustReceivedData) {
  const Tensor first = graph_.addVariable(UNSIGNED_INT, {}, "first");
  graph_.setTileMapping(first, 0);
  const auto values = valuesAfter(
      Sequence({CrossReplicaCopy(self_, first, ring()), CrossReplicaCopy(first, x_, ring())}));
  for (unsigned r = 0; r < replicas_; ++r)
    EXPECT_EQ(values[(r + 2) % replicas_], r);
}

TEST_P(Replicas, TakeOneHostTensorForAllOrOneEach) {
  Engine engine(graph_, Sequence());
  engine.load(device_);
  const unsigned one = 7;
  engine.writeTensor("x", &one, &one + 1);
  EXPECT_EQ(valuesOf(engine), std::vector<unsigned>(replicas_, 7));
  std::vector<unsigned> each(replicas_);
  for (unsigned r = 0; r < replicas_; ++r)
    each[r] = 100 + r;
  engine.writeTensor("x", each.data(), each.data() + replicas_);
  EXPECT_EQ(valuesOf(engine), each);
}

TEST_P(Replicas, HaveAStreamEachOrShareOne) {
  const DataStream own = graph_.addHostToDeviceFIFO("own", UNSIGNED_INT, 1);
  const DataStream shared =
      graph_.addHostToDeviceFIFO("shared", UNSIGNED_INT, 1, ReplicatedStreamMode::BROADCAST);
  const DataStream out = graph_.addDeviceToHostFIFO("out", UNSIGNED_INT, 2);
  const Tensor y = graph_.addVariable(UNSIGNED_INT, {2}, "y");
  graph_.setTileMapping(y, 0);
  Engine engine(graph_,
                Sequence({Copy(own, y.slice(0, 1)), Copy(shared, y.slice(1, 2)), Copy(y, out)}));
  engine.load(device_);
  std::vector<unsigned> source(replicas_), sink(2 * replicas_);
  for (unsigned r = 0; r < replicas_; ++r)
    source[r] = 10 + r;
  unsigned common = 99;
  engine.connectStream("own", source.data(), source.data() + replicas_);
  engine.connectStream("shared", &common);
  engine.connectStream("out", sink.data(), sink.data() + sink.size());
  engine.run();
  for (unsigned r = 0; r < replicas_; ++r) {
    EXPECT_EQ(sink[2 * r], 10 + r);
    EXPECT_EQ(sink[2 * r + 1], 99u);
  }
}

TEST_P(Replicas, CallBackByTheirNumber) {
  const DataStream in = graph_.addHostToDeviceFIFO("in", UNSIGNED_INT, 1);
  Engine engine(graph_, Copy(in, x_.reshape({1})));
  engine.load(device_);
  for (unsigned r = 0; r < replicas_; ++r)
    engine.connectStreamToCallback("in", r, [r](void *p) { *static_cast<unsigned *>(p) = r * r; });
  engine.run();
  const auto values = valuesOf(engine);
  for (unsigned r = 0; r < replicas_; ++r)
    EXPECT_EQ(values[r], r * r);
  EXPECT_THROW(engine.connectStreamToCallback("in", replicas_, [](void *) {}),
               stream_connection_error);
}

TEST_P(Replicas, HaveRemoteRowsEach) {
  const RemoteBuffer buffer = graph_.addRemoteBuffer("b", UNSIGNED_INT, 1);
  Engine engine(graph_, Copy(buffer, x_.reshape({1})));
  engine.load(device_);
  for (unsigned r = 0; r < replicas_; ++r) {
    const unsigned value = 5 * r;
    engine.copyToRemoteBuffer(&value, "b", 0, r);
  }
  engine.run();
  const auto values = valuesOf(engine);
  for (unsigned r = 0; r < replicas_; ++r)
    EXPECT_EQ(values[r], 5 * r);
}

// Replica 0 takes one branch, the others another.
class DivergedReplicas : public Replicas {
protected:
  Program byReplica(const Program &others, const Program &first) {
    return If(self_, others, first);
  }
  void expectNamed(const Program &program, const char *what) {
    Engine engine(graph_, program);
    engine.load(device_);
    const auto start = std::chrono::steady_clock::now();
    try {
      engine.run();
      FAIL() << "a replica waits for one that does not come";
    } catch (const application_runtime_error &e) {
      EXPECT_THAT(e.what(), ::testing::HasSubstr("replica 0 (ipu"));
      EXPECT_THAT(e.what(), ::testing::HasSubstr("step "));
      EXPECT_THAT(e.what(), ::testing::HasSubstr(what));
    }
    EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(40))
        << "long before the time limit of a sync point";
    engine.load(device_);
    EXPECT_EQ(valuesOf(engine), std::vector<unsigned>(replicas_, 0)) << "usable again";
  }
};
INSTANTIATE_TEST_SUITE_P(Partitions, DivergedReplicas, ::testing::ValuesIn(kReplicaCases),
                         [](const auto &p) { return p.param.name; });

TEST_P(DivergedReplicas, MayTakeAnyBranchThatDoesNotCommunicate) {
  const Tensor one = graph_.addConstant(UNSIGNED_INT, {}, 1), ten = graph_.clone(x_);
  graph_.setTileMapping(one, 0);
  graph_.setInitialValue(ten, 10);
  const auto values = valuesAfter(Sequence(
      {byReplica(Repeat(3, Copy(one, x_)), Copy(ten, x_)), CrossReplicaCopy(x_, x_, ring())}));
  for (unsigned r = 0; r < replicas_; ++r)
    EXPECT_EQ(values[r], r == 1 % replicas_ ? 10 : 1);
}

TEST_P(DivergedReplicas, AreNamedIfOneWaitsForAnEndedReplica) {
  expectNamed(byReplica(Sequence(), CrossReplicaCopy(self_, x_, ring(), "exchange it")),
              "which has ended");
  expectNamed(byReplica(CrossReplicaCopy(self_, x_, ring()), Sequence()), "which has ended");
}

TEST_P(DivergedReplicas, AreNamedIfTheyWaitAtDifferentSteps) {
  expectNamed(byReplica(CrossReplicaCopy(self_, x_, ring()), CrossReplicaCopy(self_, x_, ring())),
              ", but replica");
}

TEST_P(Replicas, HaveNoParentGraph) {
  EXPECT_THROW(graph_.getNonReplicatedTensor(x_), poplar_error);
}

} // namespace
} // namespace copse::test
