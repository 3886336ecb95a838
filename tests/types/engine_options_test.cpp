#include "poplar/exceptions.hpp"
#include "types/engine_options.hpp"
#include "types/nearest_name.hpp"
#include "types/stream_options.hpp"

#include <gmock/gmock.h>

#include <cstdlib>
#include <set>

namespace {

using namespace copse::types;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using namespace std::chrono_literals;

/// Sets POPLAR_ENGINE_OPTIONS, or another variable, as long as it lives.
class Environment {
public:
  explicit Environment(const char *json, const char *variable = "POPLAR_ENGINE_OPTIONS")
      : variable_(variable) {
    ::setenv(variable, json, 1);
  }
  ~Environment() { ::unsetenv(variable_); }
  Environment(const Environment &) = delete;
  Environment &operator=(const Environment &) = delete;

private:
  const char *variable_;
};

template <class E> std::string messageOf(const poplar::OptionFlags &flags) {
  try {
    parseEngineOptions(flags);
  } catch (const E &e) {
    return e.what();
  }
  return "no exception";
}

TEST(EngineOptions, HaveDefaults) {
  const EngineOptions o = parseEngineOptions({});
  EXPECT_FALSE(o.prefetch || o.softwareSyncs || o.syncReplicasIndependently || o.allowOutOfMemory);
  EXPECT_EQ(o.streamBufferOverlap, StreamBufferOverlap::Any);
  EXPECT_EQ(o.hostSyncTimeout, 300s);
  EXPECT_FALSE(o.retainDebugInformation.has_value());
  EXPECT_FALSE(o.instrumentation.compute || o.reports.graphProfile);
  EXPECT_EQ(o.reports.directory, ".");
  EXPECT_EQ(o.reports.runs, 2u);
  EXPECT_FALSE(o.callbackLookahead.has_value());
  EXPECT_EQ(o.cycleSource, CycleSource::Code);
}

TEST(EngineOptions, KeepTheOlderNameOfTheWorkersStackSize) {
  for (const std::string name : {"debug.workerStackSizeInBytes", "target.workerStackSizeInBytes"}) {
    EXPECT_NO_THROW(parseEngineOptions({{name, "512"}})) << name;
    EXPECT_THAT(messageOf<poplar::invalid_option>({{name, "much"}}), HasSubstr(name));
  }
}

TEST(EngineOptions, SelectTheSourceOfCycles) {
  const auto sourceOf = [](const char *word) {
    return parseEngineOptions({{"copse.cycleEstimates", word}}).cycleSource;
  };
  EXPECT_EQ(sourceOf("code"), CycleSource::Code);
  EXPECT_EQ(sourceOf("declared"), CycleSource::Declared);
  EXPECT_EQ(sourceOf("counted"), CycleSource::Counted);
  EXPECT_THAT(messageOf<poplar::invalid_option>({{"copse.cycleEstimates", "guessed"}}),
              ::testing::HasSubstr("code"));
}

TEST(EngineOptions, AreParsed) {
  const EngineOptions o = parseEngineOptions({{"exchange.enablePrefetch", "true"},
                                              {"exchange.streamBufferOverlap", "HostRearrangeOnly"},
                                              {"opt.enableSwSyncs", "true"},
                                              {"target.hostSyncTimeout", "1.5"},
                                              {"copse.syncTimeout", "2"},
                                              {"debug.retainDebugInformation", "false"},
                                              {"debug.computeInstrumentationLevel", "ipu"},
                                              {"opt.maxCompilationThreads", "0x10"},
                                              {"streamCallbacks.maxLookahead", "3"}});
  EXPECT_TRUE(o.mayPrefetch());
  EXPECT_EQ(o.streamBufferOverlap, StreamBufferOverlap::HostRearrangeOnly);
  EXPECT_TRUE(o.softwareSyncs);
  EXPECT_EQ(o.hostSyncTimeout, 1500ms);
  EXPECT_EQ(o.syncTimeout, 2s);
  EXPECT_EQ(o.retainDebugInformation, false);
  EXPECT_EQ(o.instrumentation.level, InstrumentationLevel::Ipu);
  EXPECT_EQ(o.compilationThreads, 16u);
  EXPECT_EQ(o.callbackLookahead, 3u);
}

TEST(EngineOptions, IpusWaitForEachOtherAsLongAsForTheHost) {
  const auto timeout = [](const char *host, const char *sync) {
    return parseEngineOptions({{"target.hostSyncTimeout", host}, {"copse.syncTimeout", sync}})
        .ipuTimeout();
  };
  EXPECT_EQ(timeout("1", "7"), 7s);
  EXPECT_EQ(timeout("9", "7"), 9s);
  EXPECT_GT(timeout("0", "7"), 24h) << "the host may take for ever";
}

TEST(EngineOptions, InstrumentSetsTheOthersUnlessTheyAreSet) {
  const auto o =
      parseEngineOptions({{"debug.instrument", "true"}, {"debug.instrumentControlFlow", "false"}});
  EXPECT_TRUE(o.instrumentation.compute && o.instrumentation.externalExchange);
  EXPECT_FALSE(o.instrumentation.controlFlow);
}

TEST(EngineOptions, AllReportsImplyInstrumentation) {
  const auto o =
      parseEngineOptions({{"autoReport.all", "true"}, {"autoReport.outputDebugInfo", "false"}});
  EXPECT_TRUE(o.reports.graphProfile && o.reports.executionProfile && o.instrumentation.compute);
  EXPECT_TRUE(o.reports.loweredVariables && o.reports.archive && o.reports.serializedGraph);
  EXPECT_FALSE(o.reports.debugInfo || o.reports.graphDebugInfo);
}

TEST(EngineOptions, PrefetchNeedsBuffersOfItsOwn) {
  std::vector<std::string> warnings;
  const auto o = parseEngineOptions({{"exchange.enablePrefetch", "true"}},
                                    [&](const std::string &text) { warnings.push_back(text); });
  EXPECT_FALSE(o.mayPrefetch());
  ASSERT_EQ(warnings.size(), 1u);
  EXPECT_THAT(warnings[0], HasSubstr("exchange.streamBufferOverlap"));
}

TEST(EngineOptions, WarnOnceAboutOptionsWithoutEffect) {
  std::vector<std::string> warnings;
  const auto collect = [&](const std::string &text) { warnings.push_back(text); };
  parseEngineOptions({{"debug.traceFile", "x"}, {"prng.seed", "1"}}, collect);
  ASSERT_EQ(warnings.size(), 1u);
  EXPECT_THAT(warnings[0], AllOf(HasSubstr("'debug.traceFile'"), HasSubstr("'prng.seed'")));
  parseEngineOptions({{"prng.seed", ""}, {"opt.enableInlining", "false"}}, collect);
  EXPECT_EQ(warnings.size(), 1u) << "a default value, and a hint that changes no result";
}

TEST(EngineOptions, EnvironmentOverridesTheProgram) {
  const Environment environment(R"({"debug.allowOutOfMemory": true, "target.hostSyncTimeout": 7})");
  const auto o = parseEngineOptions({{"target.hostSyncTimeout", "9"}, {"debug.trace", "true"}});
  EXPECT_TRUE(o.allowOutOfMemory && o.trace);
  EXPECT_EQ(o.hostSyncTimeout, 7s);
}

TEST(EngineOptions, DebugInfoDefaultsToTheGraphs) {
  std::vector<std::string> warnings;
  const auto parse = [&] {
    return parseEngineOptions({{"autoReport.outputDebugInfo", "true"}},
                              [&](const std::string &text) { warnings.push_back(text); })
        .reports;
  };
  EXPECT_TRUE(parse().graphDebugInfo);
  EXPECT_THAT(warnings, ElementsAre(HasSubstr("POPLAR_ENGINE_OPTIONS")));
  const Environment environment(R"({"autoReport.all": true})");
  const auto reports = parse();
  EXPECT_TRUE(reports.debugInfo && !reports.graphDebugInfo);
  EXPECT_EQ(warnings.size(), 1u);
}

TEST(EngineOptions, MalformedEnvironmentIsNamed) {
  const Environment environment("{oops");
  EXPECT_THAT(messageOf<poplar::parse_error>({}), HasSubstr("POPLAR_ENGINE_OPTIONS"));
}

TEST(EngineOptions, UnknownNameSuggestsTheNearest) {
  EXPECT_THAT(messageOf<poplar::invalid_option>({{"exchange.enablePrefech", "true"}}),
              AllOf(HasSubstr("'exchange.enablePrefech'"), HasSubstr("'true'"),
                    HasSubstr("did you mean 'exchange.enablePrefetch'?")));
  EXPECT_THAT(messageOf<poplar::invalid_option>({{"frobnicate", "1"}}),
              AllOf(::testing::StartsWith("Unrecognised option (engine option"),
                    ::testing::EndsWith("Unrecognised option 'frobnicate'")));
}

struct BadValue {
  const char *option, *value, *expected;
};
class EngineOptionValues : public ::testing::TestWithParam<BadValue> {};
TEST_P(EngineOptionValues, AreRefusedIfTheyDoNotFit) {
  const auto &[option, value, expected] = GetParam();
  EXPECT_THAT(
      messageOf<poplar::invalid_option>({{option, value}}),
      AllOf(HasSubstr(option), HasSubstr(std::string("'") + value + "'"), HasSubstr(expected)));
}
INSTANTIATE_TEST_SUITE_P(
    Table, EngineOptionValues,
    ::testing::Values(BadValue{"debug.trace", "yes", "true or false"},
                      BadValue{"debug.trace", "", "true or false"},
                      BadValue{"opt.maxCompilationThreads", "-1", "an integer"},
                      BadValue{"opt.maxCompilationThreads", "3x", "an integer"},
                      BadValue{"opt.maxCompilationThreads", "0x", "an integer"},
                      BadValue{"opt.maxCompilationThreads", "4294967296", "too large"},
                      BadValue{"target.hostSyncTimeout", "inf", "a number"},
                      BadValue{"target.hostSyncTimeout", "1e12", "year"},
                      BadValue{"exchange.streamBufferOverlap", "some", "any, none"},
                      BadValue{"streamCallbacks.maxLookahead", "far", "unlimited"}));

TEST(EngineOptions, TableHasEachNameOnceWithAFittingDefault) {
  std::set<std::string_view> names;
  for (const OptionSpec &spec : engineOptionTable()) {
    EXPECT_TRUE(names.insert(spec.name).second) << spec.name;
    if (!spec.defaultValue.empty()) {
      EXPECT_NO_THROW(
          parseEngineOptions({{std::string(spec.name), std::string(spec.defaultValue)}}))
          << spec.name;
    }
  }
}

TEST(SoftwareSyncs, AreRefusedIfTheGuideForbidsThem) {
  EngineOptions o;
  EXPECT_NO_THROW(checkSoftwareSyncs(o, SyncConfiguration::IpuAndAll));
  o.softwareSyncs = true;
  EXPECT_NO_THROW(checkSoftwareSyncs(o, SyncConfiguration::IntraReplicaAndAll));
  EXPECT_THROW(checkSoftwareSyncs(o, SyncConfiguration::IpuAndAll), poplar::invalid_option);
  EXPECT_THROW(checkSoftwareSyncs(o, SyncConfiguration::IntraReplicaAndLadder),
               poplar::invalid_option);
  o.syncReplicasIndependently = true;
  EXPECT_THROW(checkSoftwareSyncs(o, SyncConfiguration::IntraReplicaAndAll),
               poplar::invalid_option);
}

TEST(StreamOptions, AreParsedAndChecked) {
  EXPECT_EQ(parseStreamOptions({}).bufferingDepth, 1u);
  EXPECT_EQ(parseStreamOptions({}).splitLimit, 50u << 20);
  EXPECT_EQ(parseStreamOptions({{"bufferingDepth", "3"}, {"splitLimit", "0x100"}}).splitLimit,
            256u);
  EXPECT_THROW(parseStreamOptions({{"bufferingDepth", "0"}}), poplar::invalid_option);
  EXPECT_THROW(parseStreamOptions({{"bufferingDept", "1"}}), poplar::invalid_option);
}

TEST(NearestName, CountsEdits) {
  EXPECT_EQ(editDistance("abc", "abc"), 0u);
  EXPECT_EQ(editDistance("abc", "ABC"), 0u);
  EXPECT_EQ(editDistance("", "abc"), 3u);
  EXPECT_EQ(editDistance("kitten", "sitting"), 3u);
  EXPECT_EQ(editDistance("form", "from"), 1u);
}

TEST(EngineOptions, AreOverriddenByRuntimeOptions) {
  const Environment engine(R"({"target.hostSyncTimeout": 20, "copse.syncTimeout": 21})");
  const Environment runtime(R"({"target.hostSyncTimeout": 30})", "POPLAR_RUNTIME_OPTIONS");
  const EngineOptions o = parseEngineOptions({{"target.hostSyncTimeout", "10"}});
  EXPECT_EQ(o.hostSyncTimeout, 30s);
  EXPECT_EQ(o.syncTimeout, 21s);
}

TEST(EngineOptions, DoNotChangeTheProgramIfForTheRuntime) {
  requireRuntimeOptions({{"target.hostSyncTimeout", "1"}, {"streamCallbacks.maxLookahead", "2"}});
  EXPECT_THROW(requireRuntimeOptions({{"target.hostSyncTimeout", "soon"}}), poplar::invalid_option);
  EXPECT_THROW(requireRuntimeOptions({{"debug.verify", "true"}}), poplar::invalid_option);
  EXPECT_THROW(requireRuntimeOptions({{"no.option", "true"}}), poplar::invalid_option);
  const Environment runtime(R"({"debug.verify": true})", "POPLAR_RUNTIME_OPTIONS");
  EXPECT_THAT(messageOf<poplar::invalid_option>({}),
              AllOf(HasSubstr("POPLAR_RUNTIME_OPTIONS"), HasSubstr("debug.verify")));
}

TEST(EngineOptions, AreReadAsJsonFromAnyVariable) {
  const Environment mine(R"({"a": 1})", "MY_OPTIONS");
  poplar::OptionFlags flags{{"a", "0"}, {"b", "2"}};
  poplar::readJSONFromEnv("MY_OPTIONS", flags);
  poplar::readJSONFromEnv("NOT_SET_OPTIONS", flags);
  EXPECT_EQ(flags, (poplar::OptionFlags{{"a", "1"}, {"b", "2"}}));
  const Environment broken("{", "MY_OPTIONS_2");
  EXPECT_THROW(poplar::readJSONFromEnv("MY_OPTIONS_2", flags), poplar::parse_error);
}

TEST(NearestName, IgnoresDistantNames) {
  const std::string_view known[] = {"alpha", "beta"};
  EXPECT_EQ(nearestName("alpah", known), "alpha");
  EXPECT_FALSE(nearestName("somethingElse", known));
  EXPECT_EQ(suggestionOrList("alpah", known), "; did you mean 'alpha'?");
  EXPECT_THAT(suggestionOrList("somethingElse", known),
              ::testing::StartsWith("; there are 'alpha', '"));
  EXPECT_EQ(suggestionOrList("somethingElse", std::vector<std::string_view>{"one"}),
            "; there is only 'one'");
  EXPECT_THAT(suggestionOrList("x", std::vector<std::string_view>(20, "unlike")),
              ::testing::EndsWith("'unlike' and 12 more"));
  EXPECT_EQ(suggestionOrList("x", {}), "");
}

} // namespace
