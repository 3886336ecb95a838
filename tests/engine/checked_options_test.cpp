// Tests options as values: checked, compared and hashed before there is an engine.
#include <gtest/gtest.h>

#include <cstdlib>
#include <poplar/Engine.hpp>

namespace copse::test {
namespace {

using namespace poplar;

const Target &target() {
  static const Target it = Target::createIPUTarget(2, 4, "ipu2");
  return it;
}

TEST(CheckedOptions, AreEqualAndHashAlikeIfTheirEffectIsTheSame) {
  const OptionFlags flags{{"target.hostSyncTimeout", "7"}};
  const EngineOptions a(flags, target()), b(flags, target());
  EXPECT_EQ(a, b);
  EXPECT_EQ(hash_value(a), hash_value(b));
  for (const EngineOptions &other : {EngineOptions({}, target()), EngineOptions(flags, target(), 2),
                                     EngineOptions(flags, Target::createIPUTarget(1, 4, "ipu2"))}) {
    EXPECT_NE(a, other);
    EXPECT_NE(hash_value(a), hash_value(other));
  }
}

TEST(CheckedOptions, ContainTheEnvironmentsOptions) {
  ::setenv("POPLAR_ENGINE_OPTIONS", R"({"target.hostSyncTimeout": 9})", 1);
  const EngineOptions options({{"target.hostSyncTimeout", "7"}}, target());
  ::unsetenv("POPLAR_ENGINE_OPTIONS");
  EXPECT_EQ(options.getOptionFlags().at("target.hostSyncTimeout"), "9");
}

TEST(CheckedOptions, AreRefusedAtOnce) {
  EXPECT_THROW(EngineOptions({{"no.option", "1"}}, target()), invalid_option);
  EXPECT_THROW(EngineOptions({}, target(), 0), invalid_option);
  const OptionFlags replicas{{"target.firstRuntimeReplica", "2"},
                             {"target.numberRuntimeReplica", "0x2"}};
  EXPECT_EQ(EngineOptions(replicas, target(), 4).getReplicationFactor(), 4u);
  EXPECT_THROW(EngineOptions(replicas, target(), 3), invalid_option);
  EXPECT_THROW(RuntimeOptions({{"debug.verify", "true"}}), invalid_option);
}

TEST(CheckedOptions, AreAcceptedLikeFlags) {
  Graph graph(target());
  const EngineOptions options({{"opt.maxCompilationThreads", "1"}}, target());
  const RuntimeOptions runtime({{"target.hostSyncTimeout", "7"}});
  const Engine engine(compileGraph(graph, {program::Sequence()}, options), runtime);
  EXPECT_EQ(engine.getEngineOptions().at("target.hostSyncTimeout"), "7");
  EXPECT_EQ(engine.getEngineOptions().at("opt.maxCompilationThreads"), "1");
}

} // namespace
} // namespace copse::test
