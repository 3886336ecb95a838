#include "temporary_folder.hpp"

#include "poplar/DebugContext.hpp"
#include "poplar/ProfileValue.hpp"
#include "poplar/exceptions.hpp"

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <memory>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <thread>
#include <vector>

namespace {

using namespace poplar;

/// Writes a debug file in a folder of its own.
class DebugFileTest : public ::testing::Test {
protected:
  void TearDown() override { DebugInfo::closeStreamer(); }
  std::string path(const char *name = "debug") const { return folder_.file(name); }
  void openJson() { DebugInfo::initializeStreamer(path(), DebugSerializationFormat::JSON); }

  nlohmann::json json(const char *name = "debug") const {
    std::ifstream file(path(name));
    return nlohmann::json::parse(file);
  }
  nlohmann::json cbor() const {
    std::ifstream file(path(), std::ios::binary);
    return nlohmann::json::from_cbor(file);
  }

private:
  copse::test::TemporaryFolder folder_;
};

std::string nameOf(const nlohmann::json &context, const nlohmann::json &file) {
  return file.at("stringTable").at(context.at("name").get<std::size_t>());
}

unsigned makeTwoContexts() {
  DebugInfo outer("outer", "application");
  outer.setValue("category", "op");
  const DebugInfo inner({outer, "inner"}, "library");
  return __LINE__ - 1;
}

void expectTwoContexts(const nlohmann::json &file, unsigned line) {
  ASSERT_EQ(file.at("contexts").size(), 2u);
  const auto &inner = file["contexts"][0],
             &outer = file["contexts"][1]; // in the order of destruction
  EXPECT_EQ(inner["layer"], "library");
  EXPECT_EQ(nameOf(inner, file), "outer/inner");
  EXPECT_EQ(inner["parentId"], outer["id"]);
  EXPECT_EQ(outer["category"], "op");
  EXPECT_EQ(inner["location"]["lineNumber"], line);
  const auto &strings = file.at("stringTable");
  EXPECT_EQ(strings.at(inner["location"]["functionName"].get<std::size_t>()), "makeTwoContexts");
  const auto fileName =
      strings.at(inner["location"]["fileName"].get<std::size_t>()).get<std::string>();
  EXPECT_TRUE(fileName.ends_with("debug_info_test.cpp")) << fileName;
}

TEST_F(DebugFileTest, LocationsMayBeFreedWithTheirContext) {
  openJson();
  {
    auto file = std::make_unique<std::string>("a file of another language, model.py");
    const DebugInfo info(DebugContext("op", SourceLocation("main", file->c_str(), 7)), "layer");
    file->assign(file->size(), 'x');
    file.reset();
  }
  DebugInfo::closeStreamer();
  const auto written = json();
  const auto &location = written["contexts"][0]["location"];
  EXPECT_EQ(written["stringTable"][location["fileName"].get<std::size_t>()],
            "a file of another language, model.py");
}

TEST_F(DebugFileTest, HasOneContextPerDebugInfo) {
  openJson();
  const unsigned line = makeTwoContexts();
  DebugInfo::closeStreamer();
  expectTwoContexts(json(), line);
}

TEST_F(DebugFileTest, HasTheSameStructureInCbor) {
  DebugInfo::initializeStreamer(path());
  const unsigned line = makeTwoContexts();
  DebugInfo::closeStreamer();
  expectTwoContexts(cbor(), line);
}

TEST_F(DebugFileTest, IsCompleteWhileObjectsLive) {
  openJson();
  auto alive = std::make_unique<DebugInfo>("alive", "layer");
  EXPECT_TRUE(alive->setValue("api", "f"));
  DebugInfo::closeStreamer();
  EXPECT_EQ(json()["contexts"].at(0)["api"], "f");
  EXPECT_FALSE(alive->setValue("api", "g")) << "nothing records it any more";
  alive.reset();
  EXPECT_EQ(json()["contexts"].size(), 1u);
}

TEST_F(DebugFileTest, IsParseableWithoutContexts) {
  openJson();
  DebugInfo::closeStreamer();
  EXPECT_TRUE(json()["contexts"].empty());
  DebugInfo::initializeStreamer(path());
  DebugInfo::closeStreamer();
  EXPECT_TRUE(cbor()["contexts"].empty());
}

TEST_F(DebugFileTest, RecordsTheLatestValueOfAName) {
  openJson();
  {
    DebugInfo info("x", "layer");
    info.setValue("args", ProfileValue::Map{{"n", 1}});
    info.setValue("args", ProfileValue::Map{{"n", ProfileValue::Vector{2, "three"}}});
  }
  DebugInfo::closeStreamer();
  EXPECT_EQ(json()["contexts"][0]["args"]["n"], nlohmann::json({2, "three"}));
}

TEST_F(DebugFileTest, EmptyNameIsInTheStringTableToo) {
  openJson();
  { const DebugInfo info(DebugContext(), "layer"); }
  DebugInfo::closeStreamer();
  const nlohmann::json file = json();
  EXPECT_EQ(nameOf(file["contexts"].at(0), file), "");
}

TEST_F(DebugFileTest, SecondStreamerStartsANewFile) {
  DebugInfo::initializeStreamer(path("one"), DebugSerializationFormat::JSON);
  { const DebugInfo first("first", "layer"); }
  DebugInfo::initializeStreamer(path("two"), DebugSerializationFormat::JSON);
  { const DebugInfo second("second", "layer"); }
  DebugInfo::closeStreamer();
  EXPECT_EQ(json("one")["contexts"].size(), 1u);
  EXPECT_EQ(nameOf(json("two")["contexts"].at(0), json("two")), "second");
}

TEST_F(DebugFileTest, NothingIsRecordedWithoutAStreamer) {
  DebugInfo info("x", "layer");
  EXPECT_FALSE(info.setValue("a", 1));
  openJson();
  EXPECT_FALSE(info.setValue("a", 1)) << "made before the file was there";
  DebugInfo::closeStreamer();
  EXPECT_TRUE(json()["contexts"].empty());
}

TEST_F(DebugFileTest, TakesContextsFromManyThreads) {
  openJson();
  std::vector<std::thread> threads;
  for (int t = 0; t != 4; ++t)
    threads.emplace_back([] {
      for (int i = 0; i != 500; ++i)
        DebugInfo("op", "layer").setValue("i", i);
    });
  for (auto &thread : threads)
    thread.join();
  DebugInfo::closeStreamer();
  std::set<std::uint64_t> ids;
  const nlohmann::json file = json();
  for (const auto &context : file["contexts"])
    ids.insert(context["id"].get<std::uint64_t>());
  EXPECT_EQ(ids.size(), 2000u);
}

TEST_F(DebugFileTest, ReportsAFileThatCannotBeWritten) {
  EXPECT_THROW(DebugInfo::initializeStreamer(path("no/such/folder")), file_load_error);
}

TEST_F(DebugFileTest, IsOpenedWhenTheEnvironmentAsksForReports) {
  const std::string command =
      R"(POPLAR_ENGINE_OPTIONS='{"autoReport.all": true, "autoReport.directory": ")" + path("in") +
      R"("}' /proc/)" + std::to_string(::getpid()) +
      "/exe --gtest_filter=DebugFile.DISABLED_OfAnotherProcess --gtest_also_run_disabled_tests "
      "> /dev/null 2>&1";
  ASSERT_EQ(std::system(command.c_str()), 0);
  std::ifstream file(path("in/debug.cbor"), std::ios::binary);
  const auto all = nlohmann::json::from_cbor(file);
  ASSERT_EQ(all.at("contexts").size(), 1u);
  EXPECT_EQ(nameOf(all["contexts"][0], all), "made by the other process");
}

// Runs in the other process of the test above.
TEST(DebugFile, DISABLED_OfAnotherProcess) {
  const DebugInfo info("made by the other process", "test");
}

} // namespace
