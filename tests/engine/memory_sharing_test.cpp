// Tests that variables that are never live together share tile memory. Random programs over many
// temporaries must compute the same as a plain interpretation, with and without sharing, on every
// device, and on replicas that take different branches.
#include "devices.hpp"

#include <algorithm>
#include <cstdlib>
#include <functional>
#include <iterator>
#include <map>
#include <memory>
#include <numeric>
#include <random>
#include <sstream>
#include <utility>

namespace copse::test {
namespace {

using namespace poplar;
using namespace poplar::program;

constexpr std::size_t kVariableElements = 12;
constexpr std::size_t kChunk = 4; ///< elements of one vertex
constexpr unsigned kVariables = 14;
constexpr unsigned kBufferRows = 3; ///< rows of the remote buffer

constexpr const char *kMemorySharingCodelets = R"(
#include <poplar/Vertex.hpp>
using namespace poplar;
class Mix : public Vertex {
public:
  Input<Vector<int>> a, b;
  Output<Vector<int>> c;
  bool compute() {
    for (unsigned i = 0; i < c.size(); ++i) c[i] = (3 * a[i] + b[i] + 1) % 10007;
    return true;
  }
};
class Bit : public Vertex {
public:
  Input<int> x;
  Output<int> bit;
  bool compute() { *bit = *x & 1; return true; }
};
class Decrement : public Vertex {
public:
  Input<int> x;
  Output<int> y;
  bool compute() { *y = *x - 1; return true; }
};
)";

/// One replica's variables and remote rows, as plain memory, and its output.
struct Replica {
  std::vector<std::vector<int>> variables{kVariables, std::vector<int>(kVariableElements, 0)};
  std::vector<std::vector<int>> rows{kBufferRows, std::vector<int>(kVariableElements, 0)};
  std::vector<int> out;
  int next = 1; ///< to come in
};

/// All replicas, and those that take the current branch.
struct Host {
  std::vector<Replica> replicas;
  std::vector<std::size_t> active;

  explicit Host(unsigned n) : replicas(n), active(n) {
    std::iota(active.begin(), active.end(), std::size_t{0});
    for (unsigned r = 0; r < n; ++r)
      replicas[r].next += static_cast<int>(1000 * r);
  }
  template <class Step> void each(Step step) {
    for (const std::size_t r : active)
      step(replicas[r]);
  }
};

/// A part of a program, for the device and for the interpretation.
struct Part {
  Sequence device;
  std::function<void(Host &)> host = [](Host &) {};

  void add(const Program &program, std::function<void(Host &)> step) {
    device.add(program);
    host = [before = std::move(host), step = std::move(step)](Host &h) {
      before(h);
      step(h);
    };
  }
};

/// Makes random programs. Most read only what they have written: those are the ones that share.
class Generator {
public:
  Generator(Graph &graph, unsigned seed) : graph_(graph), random_(seed) {
    rows_ = graph.addRemoteBuffer("rows", INT, kVariableElements, kBufferRows);
    in_ = graph.addHostToDeviceFIFO("in", INT, kVariableElements);
    out_ = graph.addDeviceToHostFIFO("out", INT, kVariableElements);
    for (unsigned v = 0; v < kVariables; ++v) {
      variables_.push_back(graph.addVariable(INT, {kVariableElements}, "v" + std::to_string(v)));
      for (std::size_t i = 0; i < kVariableElements; i += 3)
        graph.setTileMapping(variables_[v].slice(i, i + 3), tile());
    }
    written_.assign(kVariables, false);
  }

  Part sequence(unsigned steps, unsigned depth) {
    Part part;
    for (unsigned i = 0; i < steps; ++i)
      addStep(part, depth);
    return part;
  }

  /// Adds outputs of all variables that are certainly written.
  void addOutputs(Part &part) {
    for (unsigned v = 0; v < kVariables; ++v)
      if (written_[v] && below(2) == 0)
        addOut(part, v);
  }

private:
  unsigned below(unsigned n) { return static_cast<unsigned>(random_() % n); }
  unsigned tile() {
    const unsigned perIpu = graph_.getTarget().getTilesPerIPU();
    const unsigned ipu = below(graph_.getTarget().getNumIPUs());
    return ipu * perIpu + below(std::min(3u, perIpu));
  }
  unsigned anyVariable() { return below(kVariables); }
  unsigned source() {
    unsigned v = anyVariable();
    for (unsigned tries = 0; !written_[v] && tries < 60; ++tries)
      v = anyVariable();
    return v;
  }
  unsigned otherThan(unsigned a, unsigned b) {
    unsigned v = anyVariable();
    while (v == a || v == b)
      v = anyVariable();
    return v;
  }

  void addStep(Part &part, unsigned depth) {
    // Replicas that may have taken different branches must not communicate.
    const unsigned least = apart_ ? 4 : 0;
    switch (least + below((depth > 0 ? 14 : 9) - least)) {
    case 0:
    case 1:
      return addIn(part);
    case 2:
      return addOut(part, source());
    case 3:
      return below(2) == 0 ? addCross(part) : addRemote(part);
    case 4:
      return addCopy(part);
    case 5:
    case 6:
    case 7:
      return addMix(part);
    case 8:
      return below(2) == 0 ? addRebuild(part) : addMixOfACopy(part);
    case 9:
      return addRepeat(part, depth);
    case 10:
    case 11:
      return addIf(part, depth);
    case 12:
      return addCall(part, depth);
    default:
      return addWhile(part, depth);
    }
  }

  void addIn(Part &part) {
    const unsigned v = anyVariable();
    written_[v] = true;
    part.add(Copy(in_, variables_[v]), [v](Host &h) {
      h.each([v](Replica &r) {
        for (int &x : r.variables[v])
          x = r.next++;
      });
    });
  }
  void addOut(Part &part, unsigned v) {
    part.add(Copy(variables_[v], out_), [v](Host &h) {
      h.each([v](Replica &r) {
        r.out.insert(r.out.end(), r.variables[v].begin(), r.variables[v].end());
      });
    });
  }
  /// Adds a write or a read of a row of remote memory.
  void addRemote(Part &part) {
    const unsigned row = below(kBufferRows), v = source();
    const Tensor number = graph_.addConstant(UNSIGNED_INT, {}, row);
    graph_.setTileMapping(number, tile());
    if (below(2) == 0)
      return part.add(Copy(variables_[v], rows_, number), [row, v](Host &h) {
        h.each([row, v](Replica &r) { r.rows[row] = r.variables[v]; });
      });
    written_[v] = true;
    part.add(Copy(rows_, variables_[v], number),
             [row, v](Host &h) { h.each([row, v](Replica &r) { r.variables[v] = r.rows[row]; }); });
  }
  /// Adds a copy of a variable from each replica to the next.
  void addCross(Part &part) {
    const unsigned replicas = graph_.getReplicationFactor();
    if (replicas == 1)
      return addCopy(part);
    const unsigned from = source(), to = otherThan(from, from);
    std::map<unsigned, unsigned> ring;
    for (unsigned r = 0; r < replicas; ++r)
      ring[r] = (r + 1) % replicas;
    written_[to] = true;
    part.add(CrossReplicaCopy(variables_[from], variables_[to], ring), [from, to](Host &h) {
      const auto n = h.replicas.size();
      for (std::size_t r = 0; r < n; ++r)
        h.replicas[(r + 1) % n].variables[to] = h.replicas[r].variables[from];
    });
  }
  void addCopy(Part &part) {
    const unsigned from = source(), to = otherThan(from, from);
    const bool whole = below(4) != 0;
    const std::size_t n = whole ? kVariableElements : 1 + below(kVariableElements - 1);
    written_[to] = written_[to] || whole;
    part.add(Copy(variables_[from].slice(0, n), variables_[to].slice(0, n)),
             [from, to, n](Host &h) {
               h.each([=](Replica &r) {
                 std::copy_n(r.variables[from].begin(), n, r.variables[to].begin());
               });
             });
  }
  Execute mix(const Tensor &a, const Tensor &b, const Tensor &c) {
    const ComputeSet set = graph_.addComputeSet("mix");
    for (std::size_t i = 0; i < kVariableElements; i += kChunk) {
      const VertexRef v = graph_.addVertex(set, "Mix",
                                           {{"a", a.slice(i, i + kChunk)},
                                            {"b", b.slice(i, i + kChunk)},
                                            {"c", c.slice(i, i + kChunk)}});
      graph_.setTileMapping(v, tile());
    }
    return Execute(set);
  }
  static std::function<void(Host &)> mixOnHost(unsigned a, unsigned b, unsigned c) {
    return [a, b, c](Host &h) {
      h.each([=](Replica &r) {
        for (std::size_t i = 0; i < kVariableElements; ++i)
          r.variables[c][i] = (3 * r.variables[a][i] + r.variables[b][i] + 1) % 10007;
      });
    };
  }
  void addMix(Part &part) {
    const unsigned a = source(), b = source(), c = otherThan(a, b);
    written_[c] = true;
    part.add(mix(variables_[a], variables_[b], variables_[c]), mixOnHost(a, b, c));
  }
  /// Adds a copy on the same tiles. It needs no memory of its own, unless its source changes
  /// meanwhile.
  void addMixOfACopy(Part &part) {
    const unsigned a = source(), b = source(), c = otherThan(b, b);
    const Tensor copy = graph_.clone(variables_[a], "copy");
    written_[c] = true;
    part.add(Sequence{Copy(variables_[a], copy), mix(copy, variables_[b], variables_[c])},
             mixOnHost(a, b, c));
  }
  /// Adds a variable that is written in two parts, so that its value is new whether WriteUndef says
  /// so or not.
  void addRebuild(Part &part) {
    const unsigned a = source(), b = source(), c = otherThan(a, b);
    const std::size_t n = 1 + below(kVariableElements - 1);
    Sequence both;
    if (below(2) == 0)
      both.add(WriteUndef(variables_[c]));
    both.add(Copy(variables_[a].slice(0, n), variables_[c].slice(0, n)));
    both.add(
        Copy(variables_[b].slice(n, kVariableElements), variables_[c].slice(n, kVariableElements)));
    written_[c] = true;
    part.add(both, [a, b, c, n](Host &h) {
      h.each([=](Replica &r) {
        for (std::size_t i = 0; i < kVariableElements; ++i)
          r.variables[c][i] = r.variables[i < n ? a : b][i];
      });
    });
  }
  void addRepeat(Part &part, unsigned depth) {
    const unsigned times = below(4);
    const auto before = written_;
    const Part body = sequence(1 + below(6), depth - 1);
    if (times == 0)
      written_ = before;
    part.add(Repeat(times, body.device), [times, run = body.host](Host &h) {
      for (unsigned i = 0; i < times; ++i)
        run(h);
    });
  }
  Tensor scalar(const char *name) {
    const Tensor t = graph_.addVariable(INT, {}, name);
    graph_.setTileMapping(t, tile());
    return t;
  }
  Program vertex(const char *type, const char *from, const Tensor &x, const char *to,
                 const Tensor &y) {
    const ComputeSet set = graph_.addComputeSet(type);
    const VertexRef v = graph_.addVertex(set, type, {{from, x}, {to, y}});
    graph_.setTileMapping(v, tile());
    return Execute(set);
  }
  void addIf(Part &part, unsigned depth) {
    const unsigned v = source();
    const Tensor bit = scalar("bit");
    const auto before = written_;
    const bool wereApart = std::exchange(apart_, graph_.getReplicationFactor() > 1);
    const Part yes = sequence(1 + below(6), depth - 1);
    auto after = written_;
    written_ = before;
    const Part no = sequence(below(6), depth - 1);
    apart_ = wereApart;
    for (unsigned i = 0; i < kVariables; ++i)
      written_[i] = written_[i] && after[i];
    const Sequence both(vertex("Bit", "x", variables_[v][0], "bit", bit),
                        If(bit, yes.device, no.device));
    part.add(both, [v, yes = yes.host, no = no.host](Host &h) {
      const auto all = h.active;
      const auto odd = [&](std::size_t r) { return h.replicas[r].variables[v][0] % 2 != 0; };
      std::vector<std::size_t> ones, others;
      std::partition_copy(all.begin(), all.end(), std::back_inserter(ones),
                          std::back_inserter(others), odd);
      h.active = ones;
      yes(h);
      h.active = others;
      no(h);
      h.active = all;
    });
  }
  void addCall(Part &part, unsigned depth) {
    const Part body = sequence(1 + below(6), depth - 1);
    const Function function = graph_.addFunction(body.device);
    const unsigned calls = 1 + below(2);
    for (unsigned i = 0; i < calls; ++i) {
      part.add(Call(function), body.host);
      if (i + 1 < calls)
        addMix(part);
    }
  }
  /// Counts a variable down to zero.
  void addWhile(Part &part, unsigned depth) {
    const unsigned rounds = below(3);
    const Tensor left = scalar("left"), next = scalar("next");
    const Tensor start = graph_.addConstant(INT, {}, static_cast<int>(rounds) + 1);
    graph_.setTileMapping(start, tile());
    const auto before = written_;
    const Part body = sequence(1 + below(6), depth - 1);
    written_ = before;
    const Sequence condition(vertex("Decrement", "x", left, "y", next), Copy(next, left));
    part.add(Sequence(Copy(start, left), RepeatWhileTrue(condition, left, body.device)),
             [rounds, run = body.host](Host &h) {
               for (unsigned i = 0; i < rounds; ++i)
                 run(h);
             });
  }

  Graph &graph_;
  std::mt19937 random_;
  DataStream in_, out_;
  RemoteBuffer rows_;
  std::vector<Tensor> variables_;
  std::vector<bool> written_;
  bool apart_ = false; ///< within a branch that not all replicas may take
};

struct SharingCase {
  DeviceKind device;
  bool sharing;
  unsigned replicas = 1;
};

class RandomPrograms : public ::testing::TestWithParam<SharingCase> {
protected:
  RandomPrograms() {
    if (!GetParam().sharing)
      setenv("COPSE_NO_MEMORY_SHARING", "1", 1);
  }
  ~RandomPrograms() override { unsetenv("COPSE_NO_MEMORY_SHARING"); }

  static void expectSame(const Device &device, unsigned replicas, unsigned seed) {
    Graph graph(device, replication_factor(replicas));
    std::stringstream source(kMemorySharingCodelets);
    graph.addCodelets(source);
    Generator generator(graph, seed);
    Part part = generator.sequence(25, 2);
    generator.addOutputs(part);

    Host host(replicas), seenByHost(replicas);
    Engine engine(graph, part.device);
    for (unsigned r = 0; r < replicas; ++r) {
      Replica &seen = seenByHost.replicas[r];
      engine.connectStreamToCallback("in", r, [&seen](void *to) {
        std::iota(static_cast<int *>(to), static_cast<int *>(to) + kVariableElements, seen.next);
        seen.next += static_cast<int>(kVariableElements);
      });
      engine.connectStreamToCallback("out", r, [&seen](void *from) {
        const int *const row = static_cast<const int *>(from);
        seen.out.insert(seen.out.end(), row, row + kVariableElements);
      });
    }
    engine.load(device);
    for (int run = 0; run < 2; ++run) {
      engine.run(0);
      part.host(host);
    }
    for (unsigned r = 0; r < replicas; ++r)
      ASSERT_EQ(seenByHost.replicas[r].out, host.replicas[r].out)
          << "seed " << seed << ", replica " << r;
  }
};

TEST_P(RandomPrograms, ComputeWhatAPlainInterpretationComputes) {
  const Device device = attach(GetParam().device.type, GetParam().device.ipus);
  const bool cheap = GetParam().device.type != TargetType::IPU && GetParam().device.ipus == 1;
  const unsigned programs = cheap ? 25 : 6;
  for (unsigned seed = 0; seed < programs && !HasFatalFailure(); ++seed)
    expectSame(device, GetParam().replicas, seed);
}

std::vector<SharingCase> everyCase() {
  std::vector<SharingCase> cases;
  for (const DeviceKind &kind : kDevices)
    for (const bool sharing : {true, false})
      cases.push_back({kind, sharing});
  for (const SharingCase &replicated : {SharingCase{{"Cpu2", TargetType::CPU, 2}, true, 2},
                                        SharingCase{{"Model4", TargetType::IPU_MODEL, 4}, true, 2},
                                        SharingCase{{"Ipu2", TargetType::IPU, 2}, true, 2},
                                        SharingCase{{"Ipu4", TargetType::IPU, 4}, true, 4},
                                        SharingCase{{"Ipu4", TargetType::IPU, 4}, true, 2}})
    cases.push_back(replicated);
  return cases;
}
std::string caseName(const ::testing::TestParamInfo<SharingCase> &info) {
  const std::string replicas =
      info.param.replicas > 1 ? "In" + std::to_string(info.param.replicas) : "";
  return info.param.device.name + replicas + (info.param.sharing ? "Sharing" : "Apart");
}
INSTANTIATE_TEST_SUITE_P(Devices, RandomPrograms, ::testing::ValuesIn(everyCase()), caseName);

/// Returns stages of a pipeline through temporaries that each take more than a third of a tile.
Sequence pipeline(Graph &graph, std::size_t stages, std::size_t elements) {
  const auto in = graph.addHostToDeviceFIFO("in", INT, elements);
  const auto out = graph.addDeviceToHostFIFO("out", INT, elements);
  Sequence program;
  Tensor last;
  for (std::size_t i = 0; i < stages; ++i) {
    const Tensor t = graph.addVariable(INT, {elements}, "stage" + std::to_string(i));
    graph.setTileMapping(t, 0);
    i == 0 ? program.add(Copy(in, t)) : program.add(Copy(last, t));
    last = t;
  }
  program.add(Copy(last, out));
  return program;
}

TEST(MemorySharing, LetsAProgramFitThatWouldNot) {
  IPUModel model;
  model.tilesPerIPU = 2;
  const Device device = model.createDevice();
  const std::size_t elements = device.getTarget().getBytesPerTile() / sizeof(int) * 2 / 5;
  Graph graph(device);
  const Sequence program = pipeline(graph, 8, elements);
  std::vector<int> in(elements), out(elements);
  std::iota(in.begin(), in.end(), 0);
  Engine engine(graph, program);
  engine.connectStream("in", in.data(), in.data() + elements);
  engine.connectStream("out", out.data(), out.data() + elements);
  engine.load(device);
  engine.run(0);
  EXPECT_EQ(out, in);
}

/// The training loop has the form of PopART 2.2: it omits an operation whose result is not needed
/// and is an alias of the weights, and calls WriteUndef for that result.
TEST(MemorySharing, KeepsWeightsThatWriteUndefMarks) {
  constexpr unsigned kRounds = 10;
  IPUModel model;
  model.tilesPerIPU = 2;
  const Device device = model.createDevice();
  Graph graph(device);
  std::stringstream codelets(R"(
#include <poplar/Vertex.hpp>
class Accumulate : public poplar::Vertex {
public:
  poplar::InOut<int> sum;
  poplar::Input<int> value;
  bool compute() { *sum += *value; return true; }
};
)");
  graph.addCodelets(codelets);
  const auto scalar = [&](const char *name, unsigned tile) {
    const Tensor t = graph.addVariable(INT, {1}, name);
    graph.setTileMapping(t, tile);
    return t;
  };
  const Tensor saved = scalar("saved", 1), weights = scalar("weights", 0),
               loaded = scalar("loaded", 0), data = scalar("data", 1);
  const auto in = graph.addHostToDeviceFIFO("in", INT, 1);
  graph.createHostWrite("saved", saved);
  graph.createHostRead("saved", saved);
  const ComputeSet set = graph.addComputeSet("accumulate");
  const VertexRef v = graph.addVertex(set, "Accumulate", {{"sum", weights[0]}, {"value", data[0]}});
  graph.setTileMapping(v, 0);
  const Sequence round{Copy(in, loaded), Copy(loaded, data), WriteUndef(weights), Execute(set)};
  Engine engine(graph,
                Sequence{Copy(saved, weights), Repeat(kRounds, round), Copy(weights, saved)});
  std::vector<int> values(kRounds), weight{100};
  std::iota(values.begin(), values.end(), 1);
  engine.connectStream("in", values.data(), values.data() + kRounds);
  engine.load(device);
  engine.writeTensor("saved", weight.data(), weight.data() + 1);
  engine.run(0);
  engine.readTensor("saved", weight.data(), weight.data() + 1);
  EXPECT_EQ(weight[0], 100 + 55);
}

} // namespace
} // namespace copse::test
