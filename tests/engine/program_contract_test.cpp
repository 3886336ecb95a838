#include "contract_table.hpp"

namespace copse::test {
namespace {

using namespace poplar;
using namespace poplar::program;
using Case = ContractTable::Case;
using Row = ContractTable::Row;

constexpr const char *kProgramContractCodelets = R"(
#include <poplar/Vertex.hpp>
using namespace poplar;
class Increment : public Vertex {
public:
  InOut<int> x;
  bool compute() { *x += 1; return true; }
};
class IsBelow : public Vertex {
public:
  Input<int> x;
  int limit;
  bool compute() { return *x < limit; }
};
template <typename T> class Below : public Vertex {
public:
  Input<int> x;
  Output<T> below;
  int limit;
  bool compute() { *below = *x < limit ? T(1) : T(0); return true; }
};
template class Below<bool>;
template class Below<int>;
template class Below<unsigned>;
)";

Program increment(ContractTable &t, const Tensor &x) {
  const ComputeSet set = t.graph().addComputeSet("increment");
  t.graph().setTileMapping(t.graph().addVertex(set, "Increment", {{"x", x}}), 0);
  return Execute(set);
}

/// Sets \p below, of type T's, to whether \p x is below \p limit; on the last tile.
Program compare(ContractTable &t, const char *vertex, const Tensor &x, const Tensor &below,
                int limit) {
  const ComputeSet set = t.graph().addComputeSet("compare");
  const VertexRef v = t.graph().addVertex(set, vertex, {{"x", x}, {"below", below.reshape({})}});
  t.graph().setInitialValue(v["limit"], limit);
  t.graph().setTileMapping(v, t.graph().getTarget().getNumTiles() - 1);
  return Execute(set);
}

/// Counts to 5 with a predicate of \p type and \p shape.
Case loopWith(ContractTable &t, const Type &type, const char *vertex,
              std::vector<std::size_t> shape) {
  const Tensor x = t.counted(INT, {}), below = t.over(type, std::move(shape));
  return {RepeatWhileTrue(compare(t, vertex, x, below, 5), below, increment(t, x)),
          t.becomes<int>(x, {5})};
}

/// Returns the result of a Switch with cases 0, 1, -1 and 4294967294 for \p value.
template <class T>
Case switched(ContractTable &t, const Type &type, T value, bool withDefault, int result) {
  const Tensor x = t.counted(INT, {});
  const auto set = [&](int to) { return Copy(t.constant(INT, to), x); };
  const Switch::Cases cases{{0, set(10)}, {1, set(20)}, {-1, set(30)}};
  const Tensor control = t.constant(type, value);
  Program p =
      withDefault ? Switch(control, cases, set(99)).add(-2, set(40)) : Switch(control, cases);
  return {p, t.becomes<int>(x, {result})};
}

const Row kProgramRows[] = {
    {"an empty program does nothing",
     [](ContractTable &) {
       return Case{Sequence(), {}};
     }},
    {"a sequence holds what it held when it was added",
     [](ContractTable &t) {
       const Tensor x = t.counted(INT, {});
       Sequence inner({increment(t, x)}), outer;
       outer.add(inner);
       inner.add(increment(t, x));
       outer.add(inner);
       return Case{outer, t.becomes<int>(x, {3})};
     }},
    {"a program may stand in several places",
     [](ContractTable &t) {
       const Tensor x = t.counted(INT, {});
       const Program p = increment(t, x);
       return Case{Sequence({p, Repeat(2, p), Sequence{p}}), t.becomes<int>(x, {4})};
     }},
    {"Copy takes equal numbers of elements in flattened order",
     [](ContractTable &t) {
       const Tensor from = t.counted(INT, {2, 3}), to = t.over(INT, {3, 2}, 1);
       return Case{Copy(from, to), t.becomes<int>(to, {0, 1, 2, 3, 4, 5})};
     }},
    {"Copy reads all before it writes",
     [](ContractTable &t) {
       const Tensor x = t.counted(INT, {4});
       return Case{Copy(x.slice(0, 3), x.slice(1, 4)), t.becomes<int>(x, {0, 0, 1, 2})};
     }},
    {"Copy fills from a broadcast constant",
     [](ContractTable &t) {
       const Tensor x = t.over(INT, {3});
       return Case{Copy(t.constant(INT, 7).expand({0}).broadcast(3, 0), x),
                   t.becomes<int>(x, {7, 7, 7})};
     }},
    {"Copy of nothing does nothing",
     [](ContractTable &t) {
       return Case{Copy(t.over(INT, {0, 2}), t.over(INT, {2, 0})), {}};
     }},
    {"Execute of an empty compute set does nothing",
     [](ContractTable &t) {
       return Case{Execute(t.graph().addComputeSet("empty")), {}};
     }},
    {"Execute puts the AND of what vertices return into its predicate",
     [](ContractTable &t) {
       const ComputeSet set = t.graph().addComputeSet("all");
       const Tensor result = t.over(BOOL, {});
       for (unsigned i = 0; i < 4; ++i) {
         const VertexRef v = t.graph().addVertex(set, "IsBelow", {{"x", t.constant(INT, int(i))}});
         t.graph().setInitialValue(v["limit"], 3);
         t.graph().setTileMapping(v, i % t.graph().getTarget().getNumTiles());
       }
       t.graph().setInitialValue(result, true);
       return Case{Execute(set, result), t.becomes<char>(result, {0})};
     }},
    {"Repeat of no rounds runs nothing",
     [](ContractTable &t) {
       const Tensor x = t.counted(INT, {});
       return Case{Repeat(0, increment(t, x)), t.becomes<int>(x, {0})};
     }},
    {"Repeat nests",
     [](ContractTable &t) {
       const Tensor x = t.counted(INT, {});
       return Case{Repeat(3, Sequence({increment(t, x), Repeat(2, increment(t, x))})),
                   t.becomes<int>(x, {9})};
     }},
    {"RepeatWhileTrue takes a BOOL",
     [](ContractTable &t) { return loopWith(t, BOOL, "Below<bool>", {}); }},
    {"RepeatWhileTrue takes an INT",
     [](ContractTable &t) { return loopWith(t, INT, "Below<int>", {}); }},
    {"RepeatWhileTrue takes an UNSIGNED_INT of shape {1}",
     [](ContractTable &t) { return loopWith(t, UNSIGNED_INT, "Below<unsigned int>", {1}); }},
    {"RepeatWhileTrue runs its condition before the first round",
     [](ContractTable &t) {
       const Tensor x = t.counted(INT, {}), below = t.over(BOOL, {});
       t.graph().setInitialValue(below, true);
       return Case{RepeatWhileTrue(compare(t, "Below<bool>", x, below, 0), below, increment(t, x)),
                   t.becomes<int>(x, {0})};
     }},
    {"RepeatWhileFalse goes on while its predicate is zero",
     [](ContractTable &t) {
       // A queue of 4, 3, ..., 0 iterations, whose head decides: the first number that is not zero
       // ends it.
       const Tensor queue = t.over(UNSIGNED_INT, {5}), rounds = t.counted(INT, {});
       t.graph().setInitialValue<unsigned>(queue, {0, 0, 0, 6, 0});
       const Program turn = Copy(concat(queue.slice(1, 5), queue.slice(0, 1)), queue);
       return Case{RepeatWhileFalse(Sequence(), queue[0], Sequence({turn, increment(t, rounds)})),
                   t.becomes<int>(rounds, {3})};
     }},
    {"If takes its first program when the predicate is not zero",
     [](ContractTable &t) {
       const Tensor x = t.counted(INT, {});
       const Program one = increment(t, x);
       return Case{Sequence({If(t.constant(UNSIGNED_INT, 256u), one, Repeat(100, one)),
                             If(t.constant(BOOL, false), Repeat(100, one), Repeat(10, one)),
                             If(t.constant(INT, -1).reshape({1}),
                                If(t.constant(BOOL, true), one, Sequence()), Sequence())}),
                   t.becomes<int>(x, {12})};
     }},
    {"Switch finds a case of an INT",
     [](ContractTable &t) { return switched(t, INT, 1, true, 20); }},
    {"Switch finds a negative case",
     [](ContractTable &t) { return switched(t, INT, -1, true, 30); }},
    {"Switch compares the bits of an UNSIGNED_INT",
     [](ContractTable &t) { return switched(t, UNSIGNED_INT, 4294967295u, true, 30); }},
    {"Switch finds a case that was added",
     [](ContractTable &t) { return switched(t, INT, -2, true, 40); }},
    {"Switch runs the default when no case matches",
     [](ContractTable &t) { return switched(t, INT, 7, true, 99); }},
    {"Switch without default and match runs nothing",
     [](ContractTable &t) { return switched(t, INT, 7, false, 0); }},
    {"Switch with bounds checking finds its case",
     [](ContractTable &t) {
       const Tensor x = t.counted(INT, {});
       return Case{Switch::switchWithBoundsChecking(t.constant(INT, 1), {{1, increment(t, x)}}),
                   t.becomes<int>(x, {1})};
     }},
    {"Call runs a function, which may call others",
     [](ContractTable &t) {
       const Tensor x = t.counted(INT, {});
       const Function inner = t.graph().addFunction(Repeat(2, increment(t, x)));
       const Function outer =
           t.graph().addFunction(Sequence({Call(inner), increment(t, x), Call(inner)}));
       return Case{Sequence({Call(outer), Repeat(2, Call(outer))}), t.becomes<int>(x, {15})};
     }},
    {"A function whose code is loaded first does the same",
     [](ContractTable &t) {
       const Tensor x = t.counted(INT, {});
       const Function f = t.graph().addFunction(increment(t, x));
       const auto code = t.graph().addFunctionBuffer(f, FunctionBufferMappingType::REMOTE);
       return Case{Repeat(2, Sequence({Copy(code, f), Call(f)})), t.becomes<int>(x, {2})};
     }},
    {"WriteUndef does no harm to others, and takes aliases",
     [](ContractTable &t) {
       const Tensor x = t.counted(INT, {3}), y = t.over(INT, {2});
       return Case{Sequence({WriteUndef(y), WriteUndef(y.broadcast(2, 0)), Copy(x.slice(0, 2), y)}),
                   t.becomes<int>(y, {0, 1})};
     }},
    {"Sync has no effect on data",
     [](ContractTable &t) {
       const Tensor x = t.counted(INT, {2});
       return Case{
           Sequence({Sync(SyncType::INTERNAL), Sync(SyncType::EXTERNAL), Sync(SyncType::GLOBAL)}),
           t.becomes<int>(x, {0, 1})};
     }},
    {"AssumeEqualAcrossReplicas has no effect",
     [](ContractTable &t) {
       const Tensor x = t.counted(INT, {2});
       return Case{
           Sequence({AssumeEqualAcrossReplicas(x), AssumeEqualAcrossReplicas({x, x[0]}, "both")}),
           t.becomes<int>(x, {0, 1})};
     }},
    {"AbortOnCondition lets a program on whose condition is zero",
     [](ContractTable &t) {
       const Tensor x = t.counted(INT, {});
       return Case{
           Sequence({AbortOnCondition(t.constant(BOOL, false)),
                     AbortOnCondition(t.constant(HALF, 0)), AbortOnCondition(t.constant(FLOAT, 0)),
                     AbortOnCondition(t.constant(UNSIGNED_LONGLONG, 0)),
                     AbortOnCondition(t.constant(INT, 0), "no"),
                     AbortOnCondition(t.constant(UNSIGNED_INT, 0), std::string("no"), "name"),
                     increment(t, x)}),
           t.becomes<int>(x, {1})};
     }},
    {"Block runs its program",
     [](ContractTable &t) {
       const Tensor x = t.counted(INT, {});
       return Case{Block(increment(t, x), "block"), t.becomes<int>(x, {1})};
     }},
    {"PrintTensor nests brackets by dimension",
     [](ContractTable &t) {
       const Tensor x = t.counted(INT, {2, 1, 2});
       return Case{
           Sequence({PrintTensor("x", x), PrintTensor("y", x[1][0][1])}), [](ContractTable &table) {
             EXPECT_EQ(table.printed(), "x: [\n [\n  [0 1]\n ]\n [\n  [2 3]\n ]\n]\ny: 3\n");
           }};
     }},
    {"PrintTensor writes every type as numbers",
     [](ContractTable &t) {
       Sequence all;
       for (const Type &type : {BOOL, CHAR, SIGNED_CHAR, UNSIGNED_CHAR, SHORT, UNSIGNED_SHORT, INT,
                                UNSIGNED_INT, LONGLONG, UNSIGNED_LONGLONG, HALF, FLOAT})
         all.add(PrintTensor(type.toString(), t.constant(type, 1)));
       return Case{
           all, [](ContractTable &table) {
             EXPECT_EQ(
                 table.printed(),
                 "bool: 1\nchar: 1\nsigned char: 1\nunsigned char: 1\nshort: 1\nunsigned "
                 "short: 1\nint: 1\n"
                 "unsigned int: 1\nlong long: 1\nunsigned long long: 1\nhalf: 1.0000000\nfloat: "
                 "1.0000000\n");
           }};
     }},
    {"PrintTensor writes floats with eight digits",
     [](ContractTable &t) {
       return Case{Sequence({PrintTensor(t.constant(FLOAT, 0.1f)),
                             PrintTensor(t.constant(FLOAT, 16777217.0)),
                             PrintTensor(t.constant(FLOAT, -1e-30f))}),
                   [](ContractTable &table) {
                     EXPECT_EQ(table.printed(), "0.1000000\n16777216\n-1.0000000e-30\n");
                   }};
     }},
    {"PrintTensor prints tensors without elements",
     [](ContractTable &t) {
       return Case{PrintTensor("none", t.over(INT, {0})),
                   [](ContractTable &table) { EXPECT_EQ(table.printed(), "none: []\n"); }};
     }},
};

class ProgramHeader : public ContractRow<Row> {};
INSTANTIATE_TEST_SUITE_P(Rows, ProgramHeader, onEveryDevice(kProgramRows), rowName<Row>);

TEST_P(ProgramHeader, BehavesAsDocumented) { holds(row(), kProgramContractCodelets); }

// Programs that end a run.
const struct EndCase {
  const char *behaviour;
  Program (*program)(ContractTable &);
  const char *message;
} kEnds[] = {
    {"Abort", [](ContractTable &) -> Program { return Abort(); }, "aborted"},
    {"Abort with a message", [](ContractTable &) -> Program { return Abort("reason A"); },
     "reason A"},
    {"AbortOnCondition of a BOOL",
     [](ContractTable &t) -> Program {
       return AbortOnCondition(t.constant(BOOL, true), "reason B");
     },
     "reason B"},
    {"AbortOnCondition of an INT",
     [](ContractTable &t) -> Program { return AbortOnCondition(t.constant(INT, -1), "reason C"); },
     "reason C"},
    {"AbortOnCondition of a HALF",
     [](ContractTable &t) -> Program {
       return AbortOnCondition(t.constant(HALF, 0.5f), "reason E");
     },
     "reason E"},
    {"AbortOnCondition of a LONGLONG in its high bits",
     [](ContractTable &t) -> Program {
       return AbortOnCondition(t.constant(LONGLONG, std::int64_t{1} << 40), "reason F");
     },
     "reason F"},
    {"AbortOnCondition of an UNSIGNED_INT in its high bits",
     [](ContractTable &t) -> Program {
       return AbortOnCondition(t.constant(UNSIGNED_INT, 0x80000000u).reshape({1}), "reason D");
     },
     "reason D"},
    {"ErrorProgram",
     [](ContractTable &t) -> Program { return ErrorProgram("reason E", t.counted(INT, {2})); },
     "reason E"},
    {"Switch with bounds checking and no match",
     [](ContractTable &t) -> Program {
       return Switch::switchWithBoundsChecking(t.constant(INT, 5), {{1, Sequence()}});
     },
     ""},
};

class ProgramEnds : public ContractRow<EndCase> {};
INSTANTIATE_TEST_SUITE_P(Rows, ProgramEnds, onEveryDevice(kEnds), rowName<EndCase>);

TEST_P(ProgramEnds, NamesTheReason) {
  Engine engine = load(Repeat(2, row().program(*this)));
  std::ostringstream out;
  engine.setPrintStream(out);
  try {
    engine.run();
    ADD_FAILURE() << "the program ran to its end";
  } catch (const application_runtime_error &e) {
    EXPECT_THAT(e.what(), ::testing::HasSubstr(row().message));
  }
  EXPECT_EQ(out.str().find("[0 1]") != std::string::npos,
            std::string(row().behaviour) == "ErrorProgram");
  engine.load(device_);
  EXPECT_THROW(engine.run(), application_runtime_error) << "usable again after a load";
}

} // namespace
} // namespace copse::test
