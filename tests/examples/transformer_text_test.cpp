// Tests the text of examples/transformer, its excerpts, its streams' rows, and its learning rate.
#include "excerpts.hpp"
#include "learning_rate.hpp"
#include "row_feeder.hpp"
#include "text.hpp"

#include <gmock/gmock.h>

#include <cmath>

namespace copse::test {
namespace {

using ::testing::ElementsAre;
using namespace transformer;

TEST(TransformerText, NumbersTheCharactersThatOccur) {
  const Text text("ba\tb\xC3\xA4\n c");
  EXPECT_EQ(text.alphabetSize(), 5u);
  EXPECT_THAT(text.characters(), ElementsAre(3, 2, 3, 0, 1, 4));
  EXPECT_EQ(text.letter(4), 'c');
  EXPECT_THAT(text.numbersOf("xcb"), ElementsAre(4, 3));
}

TEST(TransformerText, ComputesTheEntropyOfItsFrequencies) {
  EXPECT_DOUBLE_EQ(Text("abcd").entropyOfFrequencies(), std::log(4.0));
  EXPECT_DOUBLE_EQ(Text("aaab").entropyOfFrequencies(),
                   -0.75 * std::log(0.75) - 0.25 * std::log(0.25));
}

class TransformerExcerpts : public ::testing::Test {
protected:
  TransformerExcerpts() { shape_.context = 4, shape_.batch = 3; }

  std::vector<std::uint32_t> characters(const Excerpts &excerpts, std::uint64_t microBatch,
                                        unsigned replica) const {
    std::vector<std::uint32_t> row(shape_.rows() + 2);
    excerpts.fillCharacters(microBatch, replica, row.data());
    return row;
  }
  std::vector<std::uint32_t> labels(const Excerpts &excerpts, std::uint64_t microBatch,
                                    unsigned replica) const {
    std::vector<std::uint32_t> row(shape_.rows());
    excerpts.fillLabels(microBatch, replica, row.data());
    return row;
  }

  Shape shape_;
  Text text_{"abcdefghijklmnopqrstuvwxyz"};
};

TEST_F(TransformerExcerpts, HaveTheNextCharactersAsLabels) {
  const Excerpts excerpts(text_, shape_, 2, 1);
  for (std::uint64_t m = 0; m != 50; ++m) {
    const auto row = characters(excerpts, m, 1), next = labels(excerpts, m, 1);
    for (std::size_t i = 0; i != next.size(); ++i) {
      EXPECT_EQ(next[i], row[i] + 1); // the alphabet in order
      EXPECT_GE(row[i], 13u);         // the part of replica 1
    }
  }
}

TEST_F(TransformerExcerpts, AreAFunctionOfSeedMicroBatchAndReplica) {
  const Excerpts excerpts(text_, shape_, 2, 1), other(text_, shape_, 2, 2);
  EXPECT_EQ(characters(excerpts, 3, 0), characters(excerpts, 3, 0));
  EXPECT_NE(characters(excerpts, 3, 0), characters(excerpts, 4, 0));
  EXPECT_NE(characters(excerpts, 3, 0), characters(excerpts, 3, 1));
  EXPECT_NE(characters(excerpts, 3, 0), characters(other, 3, 0));
}

TEST_F(TransformerExcerpts, NeedATextThatIsLongerThanTheContext) {
  EXPECT_NO_THROW(Excerpts(text_, shape_, 5, 1));
  EXPECT_THROW(Excerpts(text_, shape_, 6, 1), std::runtime_error);
}

TEST(TransformerRowFeeder, RefillsUnusedRows) {
  const auto feeder = makeRowFeeder(
      [](std::uint64_t number, void *row) { *static_cast<std::uint64_t *>(row) = number; }, 40);
  std::uint64_t row = 0;
  const auto next = [&] {
    feeder->fetch(&row);
    return row;
  };
  EXPECT_EQ(next(), 40u);
  feeder->complete();
  EXPECT_EQ(next(), 41u);
  EXPECT_EQ(next(), 42u);
  feeder->invalidatePrefetched();
  EXPECT_EQ(next(), 41u);
}

TEST(TransformerLearningRate, RisesAndFallsToATenth) {
  const LearningRate rate{0.5, 10, 110};
  EXPECT_DOUBLE_EQ(rate.at(4), 0.25);
  EXPECT_DOUBLE_EQ(rate.at(10), 0.5);
  EXPECT_DOUBLE_EQ(rate.at(60), 0.275);
  EXPECT_DOUBLE_EQ(rate.at(110), 0.05);
}

} // namespace
} // namespace copse::test
