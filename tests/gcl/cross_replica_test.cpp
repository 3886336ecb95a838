#include "replicated_run.hpp"

#include <gmock/gmock.h>

#include <cstring>
#include <map>
#include <numeric>
#include <optional>
#include <poputil/exceptions.hpp>

namespace copse::test {
namespace {

using gcl::CollectiveOperator;
using gcl::CommGroup;
using gcl::CommGroupType;
using poplar::Tensor;
using poplar::Type;
using Elements = ReplicatedRun::Values;

struct Case {
  const char *name;
  Partition partition;
  CommGroup group;
};
constexpr auto kModel = poplar::TargetType::IPU_MODEL;
constexpr auto kIpu = poplar::TargetType::IPU;
const Case kCases[] = {
    {"OneReplica", {kModel, 1, 1}, {}},
    {"TwoReplicas", {kModel, 2, 1}, {}},
    {"ThreeReplicas", {kModel, 3, 1}, {}},
    {"FourReplicas", {kModel, 4, 1}, {}},
    {"EightReplicas", {kModel, 8, 1}, {}},
    {"SixteenReplicas", {kModel, 16, 1}, {}},
    {"TwoReplicasOfTwoIpus", {kModel, 2, 2}, {}},
    {"FourReplicasOfTwoIpus", {kModel, 4, 2}, {}},
    {"TwoReplicasOfFourIpus", {kModel, 2, 4}, {}},
    {"ConsecutivePairsOfFour", {kModel, 4, 1}, {CommGroupType::CONSECUTIVE, 2}},
    {"OrthogonalPairsOfFour", {kModel, 4, 1}, {CommGroupType::ORTHOGONAL, 2}},
    {"ConsecutiveFoursOfEight", {kModel, 8, 1}, {CommGroupType::CONSECUTIVE, 4}},
    {"OrthogonalFoursOfEight", {kModel, 8, 1}, {CommGroupType::ORTHOGONAL, 4}},
    {"StridedPairsOfEight", {kModel, 8, 1}, {CommGroupType::CONSECUTIVE, 2, 2}},
    {"GroupsOfOne", {kModel, 2, 1}, {CommGroupType::CONSECUTIVE, 1}},
    {"TwoReplicasOfACpu", {poplar::TargetType::CPU, 2, 1}, {}},
    {"TwoIpuds", {kIpu, 2, 1}, {}},
    {"FourIpuds", {kIpu, 4, 1}, {}},
    {"FourIpudsInPairs", {kIpu, 4, 1}, {CommGroupType::ORTHOGONAL, 2}},
    {"TwoReplicasOfTwoIpuds", {kIpu, 2, 2}, {}},
};

class CrossReplica : public ::testing::TestWithParam<Case> {
protected:
  CrossReplica() : run_(GetParam().partition) {
    groups_ = gcl::replicaGroups(group(), run_.replicas);
  }
  const CommGroup &group() const { return GetParam().group; }
  unsigned members() const { return static_cast<unsigned>(groups_.front().size()); }
  bool oneIpu() const { return GetParam().partition.ipusPerReplica == 1; }
  /// Returns random elements that the operators and types of a test can represent.
  Elements random(std::size_t elements, double low, double high, bool whole = true) {
    Elements values;
    for (unsigned r = 0; r < run_.replicas; ++r)
      values.push_back(randomValues(elements, low, high, ++seed_, whole));
    return values;
  }
  Tensor input(const Type &type, const std::vector<std::size_t> &shape, const Elements &values) {
    return run_.input(type, shape, values, ++seed_);
  }
  /// Calls \p f(replica, rank, members of its group).
  template <typename F> void forEachMember(const F &f) const {
    for (const auto &group : groups_)
      for (unsigned rank = 0; rank < group.size(); ++rank)
        f(group[rank], rank, group);
  }
  void expect(const std::string &name, const Elements &expected, double tolerance = 0) {
    const Elements got = run_.read(name);
    for (unsigned r = 0; r < run_.replicas; ++r)
      EXPECT_TRUE(areClose(got[r], expected[r], tolerance, tolerance)) << name << ", replica " << r;
  }

  ReplicatedRun run_;
  std::vector<std::vector<unsigned>> groups_;
  unsigned seed_ = 0;
};
INSTANTIATE_TEST_SUITE_P(Partitions, CrossReplica, ::testing::ValuesIn(kCases),
                         [](const auto &p) { return p.param.name; });

/// Returns the reduction over a group's replicas, of values that give the same result in any order.
std::vector<double> reduced(CollectiveOperator op, const Elements &values,
                            const std::vector<unsigned> &group, unsigned self) {
  std::vector<double> result = values[group.front()];
  const bool squares = op == CollectiveOperator::SQUARE_ADD;
  for (std::size_t i = 0; i < result.size(); ++i) {
    result[i] = squares ? result[i] * result[i] : result[i];
    for (std::size_t rank = 1; rank < group.size(); ++rank) {
      const double x = values[group[rank]][i];
      switch (op) {
      case CollectiveOperator::ADD:
      case CollectiveOperator::MEAN:
        result[i] += x;
        break;
      case CollectiveOperator::SQUARE_ADD:
        result[i] += x * x;
        break;
      case CollectiveOperator::MUL:
        result[i] *= x;
        break;
      case CollectiveOperator::MIN:
      case CollectiveOperator::LOGICAL_AND:
        result[i] = std::min(result[i], x);
        break;
      case CollectiveOperator::MAX:
      case CollectiveOperator::LOGICAL_OR:
        result[i] = std::max(result[i], x);
        break;
      case CollectiveOperator::LOCAL:
        break;
      }
    }
    if (op == CollectiveOperator::MEAN)
      result[i] /= static_cast<double>(group.size());
    if (op == CollectiveOperator::LOCAL)
      result[i] = values[self][i];
  }
  return result;
}

struct Operation {
  CollectiveOperator op;
  Type type;
  double low, high;
};
/// Returns all operators, each with the types that it accepts; whole values whose results the type
/// can represent, for up to 16 replicas.
std::vector<Operation> operations() {
  using Op = CollectiveOperator;
  using namespace poplar;
  std::vector<Operation> all;
  for (const Type &type :
       {FLOAT, HALF, INT, UNSIGNED_INT, SHORT, UNSIGNED_SHORT, SIGNED_CHAR, UNSIGNED_CHAR}) {
    for (const Op op : {Op::ADD, Op::MIN, Op::MAX, Op::LOCAL})
      all.push_back({op, type, 0, 8});
    all.push_back({Op::MUL, type, 1, 1.3});
  }
  for (const Type &type : {FLOAT, HALF, INT, UNSIGNED_INT})
    all.push_back({Op::SQUARE_ADD, type, 0, 8});
  for (const Type &type : {FLOAT, HALF})
    all.push_back({Op::MEAN, type, -8, 8});
  for (const Op op : {Op::LOGICAL_AND, Op::LOGICAL_OR, Op::LOCAL})
    all.push_back({op, BOOL, 0, 2});
  return all;
}
std::string nameOf(const Operation &operation) {
  std::ostringstream name;
  name << operation.op << " of " << operation.type.toString();
  return name.str();
}
double toleranceOf(const Operation &operation) {
  if (operation.op != CollectiveOperator::MEAN)
    return 0;
  return operation.type == poplar::HALF ? 1e-3 : 1e-6;
}

TEST_P(CrossReplica, AllReduceGivesTheReductionToEachReplica) {
  std::map<std::string, std::pair<Operation, Elements>> done;
  for (const Operation &operation : operations()) {
    const std::size_t elements = 1 + seed_ * 7 % 61;
    const Elements values = random(elements, operation.low, operation.high);
    const std::string name = nameOf(operation);
    const Tensor data = input(operation.type, {elements}, values);
    run_.output(name, gcl::allReduceCrossReplica(run_.graph, data, operation.op, run_.prog, group(),
                                                 "reduce"));
    done.insert({name, {operation, values}});
  }
  run_.run();
  for (const auto &[name, what] : done) {
    Elements expected(run_.replicas);
    forEachMember([&](unsigned replica, unsigned, const auto &members) {
      expected[replica] = reduced(what.first.op, what.second, members, replica);
    });
    expect(name, expected, toleranceOf(what.first));
  }
}

TEST_P(CrossReplica, ReduceScatterGivesEachReplicaAPartOfTheReduction) {
  if (!oneIpu())
    GTEST_SKIP() << "see ReduceScatterOfTwoIpus";
  std::map<std::string, std::pair<Operation, Elements>> done;
  for (const Operation &operation : operations()) {
    const std::size_t elements = 1 + seed_ * 5 % 53;
    const Elements values = random(elements, operation.low, operation.high);
    const std::string name = nameOf(operation);
    const Tensor part =
        gcl::reduceScatterCrossReplica(run_.graph, input(operation.type, {elements}, values),
                                       operation.op, run_.prog, group(), "scatter");
    EXPECT_EQ(part.numElements(), (elements + members() - 1) / members());
    run_.output(name, part);
    done.insert({name, {operation, values}});
  }
  run_.run();
  for (const auto &[name, what] : done) {
    Elements expected(run_.replicas);
    forEachMember([&](unsigned replica, unsigned rank, const auto &group) {
      std::vector<double> all = reduced(what.first.op, what.second, group, replica);
      const std::size_t part = (all.size() + members() - 1) / members();
      all.resize(part * members()); // padded with zeros
      expected[replica].assign(all.begin() + static_cast<std::ptrdiff_t>(rank * part),
                               all.begin() + static_cast<std::ptrdiff_t>((rank + 1) * part));
    });
    expect(name, expected, toleranceOf(what.first));
  }
}

const Type kTypes[] = {poplar::FLOAT,        poplar::HALF,          poplar::INT,
                       poplar::UNSIGNED_INT, poplar::SHORT,         poplar::UNSIGNED_SHORT,
                       poplar::SIGNED_CHAR,  poplar::UNSIGNED_CHAR, poplar::BOOL};

TEST_P(CrossReplica, AllGatherGivesAllPartsToEachReplica) {
  std::map<std::string, Elements> done;
  for (const Type &type : kTypes) {
    const std::size_t rows = 1 + seed_ % 7, columns = 1 + seed_ * 3 % 5;
    const Elements values = random(rows * columns, 0, type == poplar::BOOL ? 2 : 100);
    const Tensor all = gcl::allGatherCrossReplica(run_.graph, input(type, {rows, columns}, values),
                                                  run_.prog, group(), "gather");
    EXPECT_EQ(all.shape(), (std::vector<std::size_t>{members(), rows, columns}));
    EXPECT_TRUE(all.isParallelWriteable());
    run_.output(type.toString().cloneAsString(), all);
    done[type.toString().cloneAsString()] = values;
  }
  run_.run();
  for (const auto &[name, values] : done) {
    Elements expected(run_.replicas);
    forEachMember([&](unsigned replica, unsigned, const auto &group) {
      for (const unsigned other : group)
        expected[replica].insert(expected[replica].end(), values[other].begin(),
                                 values[other].end());
    });
    expect(name, expected);
  }
}

TEST_P(CrossReplica, AllToAllGivesSliceJOfReplicaIToReplicaJ) {
  std::map<std::string, Elements> done;
  for (const Type &type : kTypes) {
    const std::size_t slice = 1 + seed_ % 11;
    const Elements values = random(members() * slice, 0, type == poplar::BOOL ? 2 : 100);
    const Tensor out = gcl::allToAllCrossReplica(
        run_.graph, input(type, {members(), slice}, values), run_.prog, group(), "toAll");
    EXPECT_EQ(out.shape(), (std::vector<std::size_t>{members(), slice}));
    run_.output(type.toString().cloneAsString(), out);
    done[type.toString().cloneAsString()] = values;
  }
  run_.run();
  for (const auto &[name, values] : done) {
    Elements expected(run_.replicas);
    forEachMember([&](unsigned replica, unsigned rank, const auto &group) {
      for (const unsigned other : group) {
        const std::size_t slice = values[other].size() / members();
        const auto from = values[other].begin() + static_cast<std::ptrdiff_t>(rank * slice);
        expected[replica].insert(expected[replica].end(), from,
                                 from + static_cast<std::ptrdiff_t>(slice));
      }
    });
    expect(name, expected);
  }
}

TEST_P(CrossReplica, BroadcastGivesTheRootsValuesToEachReplica) {
  std::map<std::string, std::pair<unsigned, Elements>> done;
  for (const Type &type : kTypes) {
    const std::size_t elements = 1 + seed_ * 3 % 41;
    const Elements values = random(elements, 0, type == poplar::BOOL ? 2 : 100);
    const unsigned root = seed_ % members();
    const Tensor out = gcl::broadcastCrossReplica(run_.graph, input(type, {elements}, values),
                                                  run_.prog, group(), root, "broadcast");
    run_.output(type.toString().cloneAsString(), out);
    done[type.toString().cloneAsString()] = {root, values};
  }
  run_.run();
  for (const auto &[name, what] : done) {
    Elements expected(run_.replicas);
    forEachMember([&](unsigned replica, unsigned, const auto &group) {
      expected[replica] = what.second[group[what.first]];
    });
    expect(name, expected);
  }
}

const char *const kReplicaMethods[] = {"auto",
                                       "clockwise_ring",
                                       "anticlockwise_ring",
                                       "bidirectional_ring_pair",
                                       "meet_in_middle_ring",
                                       "quad_directional_ring",
                                       "direct",
                                       "broadcast",
                                       "hierarchical"};

TEST_P(CrossReplica, EveryMethodReducesAndGathers) {
  const std::size_t elements = 45;
  const Elements values = random(elements, 0, 100);
  const Tensor data = input(poplar::FLOAT, {elements}, values);
  for (const std::string method : kReplicaMethods) {
    run_.output(method,
                gcl::allReduceCrossReplica(run_.graph, data, CollectiveOperator::ADD, run_.prog,
                                           group(), "reduce", {{"method", method}}));
    // The part of a reduction, gathered, is the whole reduction.
    const Tensor part =
        gcl::reduceScatterCrossReplica(run_.graph, data, CollectiveOperator::ADD, run_.prog,
                                       group(), "scatter", {{"method", method}});
    run_.output("parts " + method, gcl::allGatherCrossReplica(run_.graph, part, run_.prog, group(),
                                                              "gather", {{"method", method}})
                                       .flatten());
    run_.output("gathered " + method,
                gcl::allGatherCrossReplica(run_.graph, data, run_.prog, group(), "gather all",
                                           {{"method", method}})
                    .flatten());
  }
  run_.run();
  Elements expected(run_.replicas), gathered(run_.replicas);
  forEachMember([&](unsigned replica, unsigned, const auto &group) {
    expected[replica] = reduced(CollectiveOperator::ADD, values, group, replica);
    for (const unsigned other : group)
      gathered[replica].insert(gathered[replica].end(), values[other].begin(), values[other].end());
  });
  for (const std::string method : kReplicaMethods) {
    expect(method, expected);
    expect("gathered " + method, gathered);
    if (!oneIpu())
      continue;
    Elements parts = run_.read("parts " + method);
    for (auto &part : parts)
      part.resize(elements); // without the padding
    EXPECT_EQ(parts, expected) << method;
  }
}

TEST_P(CrossReplica, AllReplicasOfAGroupHaveTheSameBits) {
  const std::size_t elements = 97;
  const Tensor data = input(poplar::FLOAT, {elements}, random(elements, -1, 1, false));
  for (const std::string method : kReplicaMethods)
    run_.output(method,
                gcl::allReduceCrossReplica(run_.graph, data, CollectiveOperator::ADD, run_.prog,
                                           group(), "reduce", {{"method", method}}));
  run_.run();
  for (const std::string method : kReplicaMethods) {
    const auto bits = run_.bytes(method);
    forEachMember([&](unsigned replica, unsigned, const auto &group) {
      EXPECT_EQ(bits[replica], bits[group.front()]) << method << ", replica " << replica;
    });
  }
}

TEST_P(CrossReplica, FewerElementsThanReplicasAreReduced) {
  for (const std::size_t elements : {0u, 1u, 2u}) {
    const Elements values = random(elements, 0, 100);
    const std::string name = std::to_string(elements);
    const Tensor data = input(poplar::HALF, {elements}, values);
    run_.output(name, gcl::allReduceCrossReplica(run_.graph, data, CollectiveOperator::MAX,
                                                 run_.prog, group()));
    EXPECT_EQ(gcl::allGatherCrossReplica(run_.graph, data, run_.prog, group()).shape(),
              (std::vector<std::size_t>{members(), elements}));
    const Tensor part = gcl::reduceScatterCrossReplica(run_.graph, data, CollectiveOperator::MAX,
                                                       run_.prog, group());
    if (oneIpu()) {
      EXPECT_EQ(part.numElements(), (elements + members() - 1) / members());
    }
    Elements expected(run_.replicas);
    forEachMember([&](unsigned replica, unsigned, const auto &group) {
      expected[replica] = reduced(CollectiveOperator::MAX, values, group, replica);
    });
    if (elements == 2) {
      run_.run();
      expect(name, expected);
    }
  }
}

TEST_P(CrossReplica, OneCallTakesSeveralTensorsOfSeveralTypes) {
  const Elements a = random(17, 0, 50), b = random(6, 0, 50), c = random(9, 0, 50);
  const std::vector<Tensor> data = {input(poplar::FLOAT, {17}, a), input(poplar::INT, {2, 3}, b),
                                    input(poplar::FLOAT, {3, 3}, c)};
  const auto sums =
      gcl::allReduceCrossReplica(run_.graph, data, CollectiveOperator::ADD, run_.prog, group());
  const auto rows = gcl::allGatherCrossReplica(run_.graph, data, run_.prog, group());
  for (std::size_t i = 0; i < data.size(); ++i) {
    EXPECT_EQ(sums[i].shape(), data[i].shape());
    run_.output("sum" + std::to_string(i), sums[i]);
    run_.output("rows" + std::to_string(i), rows[i]);
  }
  gcl::allReduceInPlaceCrossReplica(run_.graph, data, CollectiveOperator::MAX, run_.prog, group());
  for (std::size_t i = 0; i < data.size(); ++i)
    run_.output("in place" + std::to_string(i), data[i]);
  run_.run();
  for (std::size_t i = 0; i < data.size(); ++i) {
    const Elements &values = i == 0 ? a : i == 1 ? b : c;
    Elements sum(run_.replicas), most(run_.replicas), gathered(run_.replicas);
    forEachMember([&](unsigned replica, unsigned, const auto &group) {
      sum[replica] = reduced(CollectiveOperator::ADD, values, group, replica);
      most[replica] = reduced(CollectiveOperator::MAX, values, group, replica);
      for (const unsigned other : group)
        gathered[replica].insert(gathered[replica].end(), values[other].begin(),
                                 values[other].end());
    });
    expect("sum" + std::to_string(i), sum);
    expect("rows" + std::to_string(i), gathered);
    expect("in place" + std::to_string(i), most);
  }
}

TEST_P(CrossReplica, ViewsAreReducedToADestination) {
  const Elements values = random(24, 0, 50);
  const Tensor data = input(poplar::FLOAT, {4, 6}, values);
  const Tensor destination = input(poplar::FLOAT, {6, 4}, random(24, 0, 1));
  gcl::allReduceToDestinationCrossReplica(run_.graph, data.transpose(), destination,
                                          CollectiveOperator::ADD, run_.prog, group());
  run_.output("destination", destination.transpose());
  run_.output("data", data);
  run_.run();
  Elements expected(run_.replicas);
  forEachMember([&](unsigned replica, unsigned, const auto &group) {
    expected[replica] = reduced(CollectiveOperator::ADD, values, group, replica);
  });
  expect("destination", expected);
  expect("data", values);
}

// Each replica has elements 0 to 9 on its first IPU and the others on its second.
TEST(ReduceScatterOfTwoIpus, ScattersTheElementsOfEachIpuSeparately) {
  ReplicatedRun run({kModel, 2, 2});
  Elements values;
  for (unsigned r = 0; r < 2; ++r)
    values.push_back(randomValues(15, 0, 100, r, true));
  const Tensor data = run.input(poplar::FLOAT, {15}, values);
  const unsigned tilesPerIpu = run.graph.getTarget().getTilesPerIPU();
  run.graph.setTileMapping(data.slice(0, 10), 1);
  run.graph.setTileMapping(data.slice(10, 15), tilesPerIpu);
  const Tensor part =
      gcl::reduceScatterCrossReplica(run.graph, data, CollectiveOperator::ADD, run.prog);
  ASSERT_EQ(part.shape(), std::vector<std::size_t>{5 + 3});
  run.output("part", part);
  run.run();
  std::vector<double> sums(16, 0);
  for (std::size_t i = 0; i < 15; ++i)
    sums[i] = values[0][i] + values[1][i];
  const auto slice = [&](std::size_t begin, std::size_t end) {
    return std::vector<double>(sums.begin() + static_cast<std::ptrdiff_t>(begin),
                               sums.begin() + static_cast<std::ptrdiff_t>(end));
  };
  for (unsigned r = 0; r < 2; ++r) {
    std::vector<double> expected = slice(5 * r, 5 * r + 5), second = slice(10 + 3 * r, 13 + 3 * r);
    expected.insert(expected.end(), second.begin(), second.end());
    EXPECT_EQ(run.read("part")[r], expected);
  }
}

/// Returns the bits of an all-reduce of random numbers over four replicas.
std::vector<std::vector<char>> bitsOn(poplar::TargetType type) {
  ReplicatedRun run({type, 4, 1});
  Elements values;
  for (unsigned r = 0; r < 4; ++r)
    values.push_back(randomValues(61, -1, 1, r));
  const Tensor data = run.input(poplar::FLOAT, {61}, values);
  run.output("sum", gcl::allReduceCrossReplica(run.graph, data, CollectiveOperator::ADD, run.prog,
                                               {}, "reduce", {{"method", "meet_in_middle_ring"}}));
  run.run();
  return run.bytes("sum");
}

TEST(CrossReplicaBits, AreTheSameInOneProcessAndInMany) {
  EXPECT_EQ(bitsOn(poplar::TargetType::IPU_MODEL), bitsOn(poplar::TargetType::IPU));
}

/// A graph of two replicas, for calls that must be refused.
class Refusals : public ::testing::Test {
protected:
  Refusals() : run_({kModel, 2, 1}) {
    data_ = run_.graph.addVariable(poplar::FLOAT, {2, 3});
    run_.graph.setTileMapping(data_, 0);
  }
  template <typename F> void expect(const F &f, const std::string &text) {
    try {
      f();
      ADD_FAILURE() << "nothing was thrown instead of: " << text;
    } catch (const std::exception &e) {
      EXPECT_THAT(e.what(), ::testing::HasSubstr(text));
    }
  }
  ReplicatedRun run_;
  Tensor data_;
};

TEST_F(Refusals, NameTheFunctionAndTheMismatch) {
  using Op = CollectiveOperator;
  poplar::Graph &graph = run_.graph;
  expect([&] { gcl::reduceScatterCrossReplica(graph, data_, Op::ADD, run_.prog); },
         "reduceScatter: the tensor must have rank 1, not shape {2,3}");
  expect([&] { gcl::allReduceCrossReplica(graph, data_, Op::LOGICAL_AND, run_.prog); },
         "allReduce: this operator does not reduce elements of type float");
  expect([&] { gcl::allToAllCrossReplica(graph, data_[0], run_.prog); },
         "allToAll: the first dimension must be the size of the group, 2");
  expect([&] { gcl::broadcastCrossReplica(graph, data_, run_.prog, {}, 2); },
         "broadcast: root 2 is not one of the 2 replicas of a group");
  expect(
      [&] {
        gcl::allReduceInPlaceCrossReplica(graph, data_[0].broadcast(2, 0), Op::ADD, run_.prog);
      },
      "allReduceInPlace: destination 0 cannot be written");
  expect(
      [&] { gcl::allReduceToDestinationCrossReplica(graph, data_, data_[0], Op::ADD, run_.prog); },
      "destination 0 is float of shape {3}, but the result is float of shape {2,3}");
}

TEST_F(Refusals, NameGroupsThatDoNotDivideTheReplicas) {
  const auto reduce = [&](const CommGroup &group) {
    gcl::allReduceCrossReplica(run_.graph, data_, CollectiveOperator::ADD, run_.prog, group);
  };
  expect([&] { reduce({CommGroupType::CONSECUTIVE, 3}); }, "do not divide 2 replicas");
  expect([&] { reduce({CommGroupType::CONSECUTIVE, 0}); }, "groups of 0 replicas");
  expect([&] { reduce({CommGroupType::CONSECUTIVE, 2, 2}); }, "with stride 2");
  expect([&] { reduce({CommGroupType::ALL, 1}); }, "a CommGroup of type ALL has size 0");
}

TEST_F(Refusals, NameUnknownOptions) {
  const auto reduce = [&](const poplar::OptionFlags &options) {
    gcl::allReduceCrossReplica(run_.graph, data_, CollectiveOperator::ADD, run_.prog, "x", options);
  };
  expect([&] { reduce({{"metod", "auto"}}); }, "Unrecognised option 'metod'");
  expect([&] { reduce({{"method", "pigeon"}}); }, "Invalid value 'pigeon' for option 'method'");
  EXPECT_NO_THROW(reduce({{"useReplicatedImplementation", "true"},
                          {"useSynclessCollectives", "hybrid"},
                          {"maxBytesPerTile", "1000"},
                          {"topology", "rung-ring-2"},
                          {"link", "auto-link"},
                          {"syncful.maxBroadcastSize", "2048"}}));
}

TEST(ReplicaGroups, FollowTheirType) {
  using Groups = std::vector<std::vector<unsigned>>;
  EXPECT_EQ(gcl::replicaGroups({}, 3), (Groups{{0, 1, 2}}));
  EXPECT_EQ(gcl::replicaGroups({CommGroupType::CONSECUTIVE, 2}, 6),
            (Groups{{0, 1}, {2, 3}, {4, 5}}));
  EXPECT_EQ(gcl::replicaGroups({CommGroupType::ORTHOGONAL, 2}, 6),
            (Groups{{0, 3}, {1, 4}, {2, 5}}));
  EXPECT_EQ(gcl::replicaGroups({CommGroupType::CONSECUTIVE, 2, 2}, 8),
            (Groups{{0, 2}, {1, 3}, {4, 6}, {5, 7}}));
}

} // namespace
} // namespace copse::test
