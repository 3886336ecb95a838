#include "devices.hpp"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <numeric>
#include <poplar/CSRFunctions.hpp>
#include <poplar/RandomSeed.hpp>
#include <set>
#include <sstream>

namespace copse::test {
namespace {

using namespace poplar;
using namespace poplar::program;
using ::testing::AllOf;
using ::testing::Each;
using ::testing::HasSubstr;

constexpr const char *kFloatingPointCodelets = R"(
#include <poplar/Vertex.hpp>
using namespace poplar;
class ToHalf : public MultiVertex {
public:
  Input<float> x;
  Output<Vector<half>> halves;
  bool compute(unsigned worker) {
    for (unsigned i = worker; i < halves.size(); i += numWorkers()) halves[i] = *x;
    return true;
  }
};
class ToHalfTwice : public Vertex {
public:
  Input<float> x;
  Output<Vector<half>> halves;
  bool compute() {
    const float number = *x;
    for (unsigned i = 0; i < halves.size(); ++i)
      halves[i] = half(number) == half(number) ? half(0.0f) : half(1.0f);
    return true;
  }
};
class Divide : public Vertex {
public:
  Input<float> a, b;
  Output<float> quotient;
  bool compute() { *quotient = *a / *b; return true; }
};
class DivideWhereItCan : public Vertex {
public:
  Input<float> a;
  InOut<Vector<float>> quotients; // of a and what is there
  bool compute() {
    for (unsigned i = 0; i < quotients.size(); ++i)
      quotients[i] = quotients[i] != 0 ? *a / quotients[i] : -1.0f;
    return true;
  }
};
class DivideTwo : public Vertex {
public:
  Input<float> a;
  InOut<Vector<float>> quotients;
  bool compute() {
    const float2 divided = float2{*a, *a} / float2{quotients[0] + 2, quotients[1] + 4};
    for (unsigned i = 0; i < quotients.size(); ++i)
      quotients[i] = divided[i % 2];
    return true;
  }
};
class Draw : public Vertex {
public:
  Output<Vector<float>> uniform;
  bool compute() {
    for (auto &x : uniform) x = __builtin_ipu_urand_f32();
    return true;
  }
};
)";

/// Tests floating-point behaviour on the devices on which it has an effect.
class FloatingPoint : public OnEveryDevice {
protected:
  static constexpr unsigned kMany = 6000;

  FloatingPoint() {
    std::stringstream source(kFloatingPointCodelets);
    graph_.addCodelets(source);
    set_ = graph_.addComputeSet("set");
  }
  /// Adds one vertex, on the last tile, whose scalar inputs the host writes.
  void vertex(const char *type, const std::vector<const char *> &inputs, const char *output,
              Type outputType, std::vector<std::size_t> shape) {
    const unsigned tile = graph_.getTarget().getNumTiles() - 1;
    const VertexRef v = graph_.addVertex(set_, type);
    graph_.setTileMapping(v, tile);
    for (const char *name : inputs) {
      const Tensor t = hostVariable(FLOAT, {}, name);
      graph_.connect(v[name], t);
    }
    const Tensor t = graph_.addVariable(outputType, shape, output);
    graph_.setTileMapping(t, tile);
    graph_.createHostRead(output, t);
    graph_.connect(v[output], t);
  }
  /// Returns kMany halves of \p x under \p behaviour, as bits.
  std::vector<std::uint16_t> halvesOf(float x, const FloatingPointBehaviour &behaviour,
                                      const char *type = "ToHalf") {
    vertex(type, {"x"}, "halves", HALF, {kMany});
    Sequence prog;
    setFloatingPointBehaviour(graph_, prog, behaviour);
    prog.add(Execute(set_));
    Engine engine = load(prog);
    write<float>(engine, "x", {x});
    engine.run();
    return read<std::uint16_t>(engine, "halves", kMany);
  }
  void expectStops(Engine &engine, const std::string &what) {
    if (GetParam().type != TargetType::IPU) {
      EXPECT_NO_THROW(engine.run());
      return;
    }
    const unsigned tiles = graph_.getTarget().getTilesPerIPU();
    try {
      engine.run();
      FAIL() << "the program went on";
    } catch (const application_runtime_error &e) {
      EXPECT_THAT(e.what(), AllOf(HasSubstr(what), HasSubstr("tile " + std::to_string(tiles - 1)),
                                  HasSubstr("compute set 'set'")));
    }
  }
  ComputeSet set_;
};

INSTANTIATE_TEST_SUITE_P(Devices, FloatingPoint, ::testing::ValuesIn(kModelAndTwoIpus), deviceName);

TEST_P(FloatingPoint, RoundsHalvesToNearestByDefault) {
  EXPECT_THAT(halvesOf(1.0f + 0.25f / 1024, {false, false, false, false, false}), Each(0x3C00));
}

TEST_P(FloatingPoint, RoundsHalvesStochasticallyIfEnabled) {
  const auto halves = halvesOf(1.0f + 0.25f / 1024, {false, false, false, true, false});
  EXPECT_EQ(std::set<unsigned>(halves.begin(), halves.end()), (std::set<unsigned>{0x3C00, 0x3C01}));
  const auto up = std::count(halves.begin(), halves.end(), 0x3C01);
  EXPECT_NEAR(static_cast<double>(up) / kMany, 0.25, 0.03); // five standard deviations
}

TEST_P(FloatingPoint, RoundsHalvesStochasticallyByEngineOptionToo) {
  vertex("ToHalf", {"x"}, "halves", HALF, {kMany});
  Engine engine = load(Execute(set_), {{"prng.enableStochasticRounding", "true"}});
  write<float>(engine, "x", {1.0f + 0.25f / 1024});
  engine.run();
  const auto halves = read<std::uint16_t>(engine, "halves", kMany);
  EXPECT_EQ(std::set<unsigned>(halves.begin(), halves.end()), (std::set<unsigned>{0x3C00, 0x3C01}));
}

TEST_P(FloatingPoint, StochasticRoundingDrawsForEachOfTwoEqualNumbers) {
  const auto differ =
      halvesOf(1.0f + 0.5f / 1024, {false, false, false, true, false}, "ToHalfTwice");
  const auto count = std::count(differ.begin(), differ.end(), 0x3C00);
  EXPECT_NEAR(static_cast<double>(count) / kMany, 0.5, 0.04); // six standard deviations
}

TEST_P(FloatingPoint, StochasticRoundingFollowsTheSeeds) {
  vertex("ToHalf", {"x"}, "halves", HALF, {kMany});
  Sequence prog;
  setStochasticRounding(graph_, prog, true);
  const Tensor seeds = getHwSeeds(graph_, prog);
  graph_.createHostRead("seeds", seeds);
  prog.add(Execute(set_));
  Sequence again;
  setHwSeeds(graph_, seeds, again);
  again.add(Execute(set_));
  Engine engine(graph_, {prog, again});
  engine.load(device_);
  write<float>(engine, "x", {1.0f + 0.5f / 1024});
  const auto run = [&](unsigned program) {
    engine.run(program);
    return read<std::uint16_t>(engine, "halves", kMany);
  };
  const auto first = run(0);
  EXPECT_EQ(run(1), first);
  EXPECT_NE(run(0), first);
}

TEST_P(FloatingPoint, OverflowOfHalvesSaturates) {
  EXPECT_THAT(halvesOf(1e6f, {false, false, false, false, false}), Each(0x7BFF));
}

TEST_P(FloatingPoint, OverflowOfHalvesIsNaNIfEnabled) {
  EXPECT_THAT(halvesOf(1e6f, {false, false, false, false, true}), Each(0x7ECE));
}

/// Converting a half that is too large, such as exp(half(300)), gives an infinity of float.
TEST_P(FloatingPoint, InfinitiesBecomeTheHalvesOfNumbersThatAreTooLarge) {
  const float infinity = std::numeric_limits<float>::infinity();
  EXPECT_THAT(halvesOf(infinity, {false, false, false, false, false}), Each(0x7BFF));
}
TEST_P(FloatingPoint, NegativeInfinitiesBecomeTheSmallestHalf) {
  const float infinity = std::numeric_limits<float>::infinity();
  EXPECT_THAT(halvesOf(-infinity, {true, true, false, false, false}), Each(0xFBFF))
      << "they are no invalid operations";
}
TEST_P(FloatingPoint, InfinitiesBecomeNaNOfHalvesIfEnabled) {
  const float infinity = std::numeric_limits<float>::infinity();
  EXPECT_THAT(halvesOf(infinity, {false, false, false, false, true}), Each(0x7ECE));
}
TEST_P(FloatingPoint, InfinitiesAreOverflowsOfHalves) {
  vertex("ToHalf", {"x"}, "halves", HALF, {1});
  Sequence prog;
  setFloatingPointBehaviour(graph_, prog, {false, false, true, false, false});
  prog.add(Execute(set_));
  Engine engine = load(prog);
  write<float>(engine, "x", {std::numeric_limits<float>::infinity()});
  expectStops(engine, "floating-point overflow");
}

TEST_P(FloatingPoint, OverflowOfHalvesStopsIfEnabled) {
  vertex("ToHalf", {"x"}, "halves", HALF, {1});
  Sequence prog;
  setFloatingPointBehaviour(graph_, prog, {false, false, true, false, false});
  prog.add(Execute(set_));
  Engine engine = load(prog);
  write<float>(engine, "x", {1e6f});
  expectStops(engine, "floating-point overflow");
}

/// Tests each flag by itself: the others are off, or on without an event of theirs.
TEST_P(FloatingPoint, DivisionsStopOnlyIfTheirEventIsEnabled) {
  vertex("Divide", {"a", "b"}, "quotient", FLOAT, {});
  const auto under = [&](const FloatingPointBehaviour &behaviour) {
    Sequence prog;
    setFloatingPointBehaviour(graph_, prog, behaviour);
    prog.add(Execute(set_));
    return prog;
  };
  Engine engine(graph_, {under({true, false, false, false, false}),
                         under({false, true, false, false, false}),
                         under({false, false, true, true, true})});
  const auto divide = [&](float a, float b) {
    engine.load(device_);
    write<float>(engine, "a", {a});
    write<float>(engine, "b", {b});
  };
  const auto expectOnly = [&](unsigned stops, const std::string &what) {
    const float a = stops == 0 ? 0.0f : 1.0f;
    for (unsigned program = 0; program < 3; ++program) {
      divide(a, 0.0f);
      if (program == stops && GetParam().type == TargetType::IPU) {
        try {
          engine.run(program);
          ADD_FAILURE() << what << " went on";
        } catch (const application_runtime_error &e) {
          EXPECT_THAT(e.what(), HasSubstr(what));
        }
      } else {
        EXPECT_NO_THROW(engine.run(program)) << what << ", program " << program;
      }
    }
  };
  expectOnly(0, "invalid floating-point operation");
  expectOnly(1, "floating-point division by zero");
}

/// A chip sets the mode by an instruction of each tile.
TEST(FloatingPointMode, IsSetWithoutAnExchangeBetweenTiles) {
  IPUModel model;
  model.numIPUs = 4;
  model.tilesPerIPU = 8;
  const Device device = model.createDevice();
  Graph graph(device.getTarget());
  Sequence program;
  setFloatingPointBehaviour(graph, program, {true, true, true, true, true});
  Engine engine(graph, program, {{"debug.instrument", "true"}});
  engine.load(device);
  engine.run();
  const ProfileValue cycles = engine.getExecutionProfile()["cycles"];
  for (const char *const kind : {"globalExchange", "sync"})
    EXPECT_EQ(cycles[kind].asUint64(), 0U) << kind;
  EXPECT_LT(cycles["total"].asUint64(), 200U) << "some words within a tile";
}

TEST_P(FloatingPoint, EventsStopByEngineOptionToo) {
  vertex("Divide", {"a", "b"}, "quotient", FLOAT, {});
  Engine engine = load(Execute(set_), {{"debug.floatPointOpException", "true"}});
  write<float>(engine, "a", {1.0f});
  write<float>(engine, "b", {4.0f});
  engine.run();
  EXPECT_EQ(read<float>(engine, "quotient", 1).front(), 0.25f);
  write<float>(engine, "b", {0.0f});
  expectStops(engine, "floating-point division by zero");
}

TEST_P(FloatingPoint, DivisionsThatTheSourceDoesNotContainRaiseNoEvent) {
  vertex("DivideWhereItCan", {"a"}, "quotients", FLOAT, {100}); // zeroes
  Engine engine = load(Execute(set_), {{"debug.floatPointOpException", "true"}});
  write<float>(engine, "a", {1.0f});
  engine.run();
  EXPECT_THAT(read<float>(engine, "quotients", 100), Each(-1.0f));
  engine.run();
  EXPECT_THAT(read<float>(engine, "quotients", 100), Each(-1.0f));
}

TEST_P(FloatingPoint, DivisionsOfShortVectorsRaiseEventsForTheirElementsOnly) {
  vertex("DivideTwo", {"a"}, "quotients", FLOAT, {8});
  Engine engine = load(Execute(set_), {{"debug.floatPointOpException", "true"}});
  write<float>(engine, "a", {1.0f});
  engine.run();
  const auto quotients = read<float>(engine, "quotients", 8);
  EXPECT_EQ(quotients[0], 0.5f);
  EXPECT_EQ(quotients[1], 0.25f);
}

TEST_P(FloatingPoint, InvalidOperationsStopUntilSwitchedOff) {
  vertex("Divide", {"a", "b"}, "quotient", FLOAT, {});
  const FloatingPointBehaviour all(true, true, true, false, false);
  Sequence guarded, free;
  setFloatingPointBehaviour(graph_, guarded, all);
  guarded.add(Execute(set_));
  setFloatingPointBehaviour(graph_, free, {false, false, false, false, false});
  free.add(Execute(set_));
  Engine engine(graph_, {guarded, free});
  engine.load(device_);
  engine.run(1); // 0 / 0
  EXPECT_NE(read<float>(engine, "quotient", 1).front(), read<float>(engine, "quotient", 1).front());
  expectStops(engine, "invalid floating-point operation");
}

TEST_P(FloatingPoint, RandomNumbersAreUniformAndDifferFromRunToRun) {
  vertex("Draw", {}, "uniform", FLOAT, {kMany});
  Engine engine = load(Execute(set_));
  engine.run();
  const auto first = read<float>(engine, "uniform", kMany);
  EXPECT_THAT(first, Each(AllOf(::testing::Ge(-0.5f), ::testing::Le(0.5f))));
  const double sum = std::accumulate(first.begin(), first.end(), 0.0);
  EXPECT_NEAR(sum / kMany, 0.0, 0.02); // five standard deviations
  engine.run();
  EXPECT_NE(read<float>(engine, "uniform", kMany), first);
}

} // namespace
} // namespace copse::test
