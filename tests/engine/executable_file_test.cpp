// Tests files that a correct hash does not exclude: those that were made on purpose.
#include "saved_program.hpp"

#include "engine/executable_file.hpp"

#include <gmock/gmock.h>

#include <poplar/IPUModel.hpp>
#include <poplar/exceptions.hpp>
#include <random>

namespace copse::test {
namespace {

std::string sampleBody() {
  poplar::IPUModel model;
  model.numIPUs = 2;
  model.tilesPerIPU = 4;
  const std::string file = saved(compileSample(model.createDevice().getTarget(), 2));
  return std::string(engine::bodyOf(file));
}

/// Reads a file, which is either refused or well-formed: then it can be written again and reports
/// can be made.
void readSafely(const std::string &body) {
  try {
    const auto executable = engine::readExecutableBody(body);
    std::ostringstream again;
    engine::writeExecutable(*executable, again);
    for (std::uint32_t i = 0; i < executable->program.images.front().programs.size(); ++i)
      compiler::streamsUsed(executable->program, i);
  } catch (const poplar::poplar_error &) {
  }
}

TEST(ExecutableFiles, AreSafeToReadWithAnyBytes) {
  const std::string body = sampleBody();
  std::mt19937 random(7);
  const std::size_t interesting = std::min<std::size_t>(body.size(), 40'000);
  for (int round = 0; round < 2000; ++round) {
    std::string damaged = body;
    for (int flips = 1 + static_cast<int>(random() % 3); flips > 0; --flips) {
      const std::size_t at = random() % interesting;
      damaged[at] = static_cast<char>(damaged[at] ^ (1 << random() % 8));
    }
    if (round % 5 == 0)
      damaged.resize(random() % damaged.size());
    readSafely(damaged);
  }
}

TEST(ExecutableFiles, AreRefusedIfNestedTooDeeply) {
  const std::string lists(1'000'000, '\x81');
  char size[17];
  std::snprintf(size, sizeof size, "%016zx", lists.size());
  EXPECT_THROW(engine::readExecutableBody(size + lists), poplar::file_load_error);
}

} // namespace
} // namespace copse::test
