#include "operation_run.hpp"

#include <popops/Cast.hpp>
#include <poputil/exceptions.hpp>

namespace {

using namespace copse::test;
using poplar::Tensor;
using poplar::Type;

TEST(CastTest, TypesAreConverted) {
  const struct {
    const char *name;
    Type from, to;
    std::vector<double> values, expected;
  } kCases[] = {
      {"float to half", poplar::FLOAT, poplar::HALF, {1.0 + 1.0 / 2048, -2.5}, {1, -2.5}},
      {"half to float", poplar::HALF, poplar::FLOAT, {0.5, -3}, {0.5, -3}},
      {"float to int", poplar::FLOAT, poplar::INT, {1.9, -1.9}, {1, -1}},
      {"half to unsigned", poplar::HALF, poplar::UNSIGNED_INT, {7.5, 0}, {7, 0}},
      {"float to bool", poplar::FLOAT, poplar::BOOL, {0.25, 0}, {1, 0}},
      {"int to float", poplar::INT, poplar::FLOAT, {-5, 1 << 20}, {-5, 1 << 20}},
      {"int to unsigned", poplar::INT, poplar::UNSIGNED_INT, {-1, 2}, {4294967295.0, 2}},
      {"int to short", poplar::INT, poplar::SHORT, {65537, -3}, {1, -3}},
      {"bool to half", poplar::BOOL, poplar::HALF, {1, 0}, {1, 0}},
      {"float to char", poplar::FLOAT, poplar::SIGNED_CHAR, {300, -300}, {127, -128}},
      {"half to unsigned char", poplar::HALF, poplar::UNSIGNED_CHAR, {-3, 3.9}, {0, 3}},
      {"float to float", poplar::FLOAT, poplar::FLOAT, {1.5, 2}, {1.5, 2}},
  };
  OperationRun run(Machine::Model);
  for (const auto &c : kCases) {
    const Tensor in = run.input(c.from, {2}, c.values);
    run.output(c.name, popops::cast(run.graph, in, c.to, run.prog));
  }
  run.run();
  for (const auto &c : kCases)
    EXPECT_EQ(run.read(c.name), c.expected) << c.name;
}
TEST(CastTest, TheResultHasTheLayoutOfTheSource) {
  OperationRun run(Machine::Model);
  const Tensor in = run.input(poplar::FLOAT, {30}, std::vector<double>(30, 1), 3);
  const Tensor out = popops::cast(run.graph, in, poplar::HALF, run.prog);
  EXPECT_EQ(run.graph.getTileMapping(out), run.graph.getTileMapping(in));
}
TEST(CastTest, AProgramConvertsIntoAnExistingTensor) {
  OperationRun run(Machine::Model);
  const Tensor in = run.input(poplar::INT, {9}, randomValues(9, -9, 9, 1, true));
  const Tensor out = run.graph.addVariable(poplar::FLOAT, {9});
  run.scatter(out, 7);
  run.prog.add(popops::cast(run.graph, in, out));
  run.output("out", out);
  run.run();
  EXPECT_EQ(run.read("out"), randomValues(9, -9, 9, 1, true));
}
TEST(CastTest, BytesBecomeRealsOnly) {
  OperationRun run(Machine::Model);
  const Tensor in = run.graph.addVariable(poplar::UNSIGNED_CHAR, {2});
  run.graph.setTileMapping(in, 0);
  try {
    popops::cast(run.graph, in, poplar::INT, run.prog);
    FAIL() << "bytes have become integers";
  } catch (const poputil::poplibs_error &e) {
    EXPECT_STREQ(e.what(), "cast: no conversion from unsigned char to int");
  }
}
TEST(CastTest, AccuracyIsCheckedOnTheDevice) {
  OperationRun run(Machine::Model);
  const Tensor exact = run.input(poplar::FLOAT, {}, {0.5}),
               tooLarge = run.input(poplar::FLOAT, {1}, {1e6});
  run.output("exact",
             popops::checkAccuracyWhenCast(run.graph, exact, poplar::HALF, 1e-6, run.prog));
  run.output("tooLarge",
             popops::checkAccuracyWhenCast(run.graph, tooLarge, poplar::HALF, 1e-6, run.prog));
  run.run();
  EXPECT_EQ(run.read("exact"), std::vector<double>{1});
  EXPECT_EQ(run.read("tooLarge"), std::vector<double>{0});
}

} // namespace
