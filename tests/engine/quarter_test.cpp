// Tests quarters: numbers of 8 bits whose meaning is in another tensor.
#include "contract_table.hpp"

#include <sstream>

namespace copse::test {
namespace {

using namespace poplar;
using namespace poplar::program;
using Case = ContractTable::Case;
using Row = ContractTable::Row;
using Format = QuarterMetadata::Format;
using Bytes = std::vector<unsigned char>;

constexpr const char *kQuarterCodelets = R"(
#include <poplar/QuarterFloat.hpp>
#include <poplar/Vertex.hpp>
using namespace poplar;
class FromQuarters : public Vertex {
public:
  Input<Vector<quarter>> in;
  Input<quarter_metadata> metadata;
  Output<Vector<float>> out;
  bool compute() {
    for (unsigned i = 0; i < in.size(); ++i)
      out[i] = in[i].toFloat(*metadata);
    return true;
  }
};
template <typename T> class ToQuarters : public Vertex {
public:
  Input<Vector<float>> in;
  Input<quarter_metadata> metadata;
  Output<Vector<T>> out;
  bool compute() {
    for (unsigned i = 0; i < in.size(); ++i)
      out[i] = T(in[i], *metadata);
    return true;
  }
};
template class ToQuarters<quarter>;

/// As PopLibs 3.4 writes it.
class Converted : public Vertex {
public:
  Input<Vector<quarter>> in;
  Input<Vector<MetadataType>> metadata;
  Output<Vector<float>> out;
  bool compute() {
    static_assert(is_integral_v<MetadataType>, "");
    const quarter_metadata from = unpackMetadata(&metadata[0]), to(quarter_metadata::Format::F143, 0);
    out[0] = toFloat(in[0], from);
    out[1] = float(toHalf(in[1], from));
    out[2] = toFloat(toQuarter(half(3.4f), to), to);
    out[3] = toFloat(toQuarter(1000.0f, to), to);
    out[4] = toQuarter(1000.0f, to, true).bits();
    return true;
  }
};
class AsksItsField : public Vertex {
public:
  Input<Vector<quarter>> in;
  Output<float> out;
  bool compute() {
    *out = unpackMetadata(in.getMetadata()).getScale();
    return true;
  }
};
)";

const std::vector<float> kNumbers{1, -0.25f, 3.5f, 0, 100};
/// Encodes these values as the format defines: 4 bits of exponent from 8, 3 of the fraction.
const Bytes kCodes143{0x40, 0xB0, 0x4E, 0x00, 0x74};

Tensor quarters(ContractTable &t, const Tensor &metadata, std::vector<std::size_t> shape) {
  return t.mapped(t.graph().addVariable(QUARTER, metadata, shape, "quarters"));
}
Tensor fixed(ContractTable &t, Format format, int scale) {
  return createConstantMetadataTensor(t.graph(), format, scale);
}

/// Adds a vertex on tile 0 with its fields connected, in a compute set of its own.
Execute vertex(ContractTable &t, const char *type, const Tensor &in, const Tensor &metadata,
               const Tensor &out) {
  const ComputeSet set = t.graph().addComputeSet(type);
  const VertexRef v =
      t.graph().addVertex(set, type, {{"in", in}, {"metadata", metadata}, {"out", out}});
  t.graph().setTileMapping(v, 0);
  return Execute(set);
}

Case prints(Program program, const char *text) {
  return {std::move(program), [text](ContractTable &table) { EXPECT_EQ(table.printed(), text); }};
}

template <class Error, class F> void refuses(F f, const char *why) {
  try {
    f();
    ADD_FAILURE() << "nothing was wrong";
  } catch (const Error &error) {
    EXPECT_THAT(error.what(), ::testing::HasSubstr(why));
  }
}

const Row kQuarterRows[] = {
    {"constants are converted by their metadata",
     [](ContractTable &t) {
       const Tensor q = t.mapped(
           t.graph().addConstant(QUARTER, QuarterMetadata(Format::F143, 0), {5}, kNumbers));
       return Case{Sequence(), t.becomes<unsigned char>(q, kCodes143)};
     }},
    {"a scale multiplies every number by a power of two",
     [](ContractTable &t) {
       const Tensor q =
           t.mapped(t.graph().addConstant(QUARTER, QuarterMetadata(Format::F143, 4), {2}, 16.0f));
       return Case{Sequence(), t.becomes<unsigned char>(q, Bytes{0x40, 0x40})};
     }},
    {"initial values are converted by the tensor's constant metadata",
     [](ContractTable &t) {
       const Tensor q = quarters(t, fixed(t, Format::F143, 0), {5});
       t.graph().setInitialValue(q, ArrayRef<float>(kNumbers));
       return Case{Sequence(), t.becomes<unsigned char>(q, kCodes143)};
     }},
    {"numbers are not converted by metadata that may change",
     [](ContractTable &t) {
       const Tensor q = quarters(t, createVariableMetadataTensor(t.graph(), Format::F152, 0), {1});
       refuses<tensor_metadata_error>([&] { t.graph().setInitialValue(q, 1.0f); }, "constant");
       refuses<tensor_metadata_error>([&] { t.graph().addConstant(QUARTER, {}, 1.0f); },
                                      "give metadata");
       return Case{Sequence(), nullptr};
     }},
    {"metadata take the scale that a tensor has when the program runs",
     [](ContractTable &t) {
       const Tensor scale = t.mapped(t.graph().addVariable(INT, {1}, "scale"));
       Sequence all;
       const Tensor metadata =
           createVariableMetadataTensor(t.graph(), Format::F143, scale, all, "metadata");
       const Tensor quarter = t.mapped(t.graph().addConstant(UNSIGNED_CHAR, {1}, 0x48));
       const Tensor q = t.mapped(t.graph().clone(QUARTER, metadata.reshape({1}), quarter));
       all.add(Copy(quarter, q.reinterpret(UNSIGNED_CHAR)));
       all.add(PrintTensor("q", q));
       Sequence both;
       for (const int value : {-2, 3}) {
         both.add(Copy(t.constant(INT, value), scale[0]));
         both.add(all);
       }
       return prints(both, "q: [0.5000000]\nq: [16.000000]\n");
     }},
    {"the scale of metadata is one signed integer",
     [](ContractTable &t) {
       Sequence all;
       for (const Tensor &wrong : {t.over(INT, {2}), t.over(FLOAT, {1}), t.over(UNSIGNED_INT, {1})})
         refuses<tensor_metadata_error>(
             [&] { createVariableMetadataTensor(t.graph(), Format::F152, wrong, all); }, "SHORT");
       for (const Type &type : {SHORT, SIGNED_CHAR})
         createVariableMetadataTensor(t.graph(), Format::F152, t.constant(type, -32), all);
       return Case{all, nullptr};
     }},
    {"codelets read quarters",
     [](ContractTable &t) {
       const Tensor q = t.mapped(
           t.graph().addConstant(QUARTER, QuarterMetadata(Format::F152, -3), {5}, kNumbers));
       const Tensor out = t.over(FLOAT, {5});
       return Case{vertex(t, "FromQuarters", q, q.getMetadata(), out),
                   t.becomes<float>(out, {1, -0.25f, 3.5f, 0, 96})};
     }},
    {"codelets write quarters, and templates have their name",
     [](ContractTable &t) {
       const Tensor in = t.over(FLOAT, {5});
       t.graph().setInitialValue(in, ArrayRef<float>(kNumbers));
       const Tensor q = quarters(t, createVariableMetadataTensor(t.graph(), Format::F143, 0), {5});
       return Case{vertex(t, "ToQuarters<quarter>", in, q.getMetadata(), q),
                   t.becomes<unsigned char>(q, kCodes143)};
     }},
    {"a tensor of quarters has the metadata that it was added with, other ones have none",
     [](ContractTable &t) {
       const Tensor metadata = fixed(t, Format::F143, 1);
       const Tensor q = quarters(t, metadata, {2});
       EXPECT_TRUE(q.hasMetadata());
       EXPECT_EQ(q.getMetadata(), metadata);
       EXPECT_EQ(metadata.elementType(), QUARTER_METADATA);
       const Tensor none = t.over(QUARTER, {2});
       EXPECT_FALSE(none.hasMetadata() || metadata.hasMetadata());
       refuses<tensor_metadata_error>([&] { (void)none.getMetadata(); }, "has no metadata");
       return Case{Sequence(), nullptr};
     }},
    {"views and clones keep the metadata, another type has none",
     [](ContractTable &t) {
       const Tensor metadata = fixed(t, Format::F143, 1);
       const Tensor q = quarters(t, metadata, {2, 3});
       for (const Tensor &view :
            {q[0], q.transpose().flatten().slice(1, 4), q.broadcast(2, 0), concat(q, q, 1),
             t.graph().clone(q), t.graph().cloneN(q, 2), t.graph().findUnbroadcastTensor(q)})
         EXPECT_EQ(view.getMetadata(), metadata);
       EXPECT_FALSE(q.reinterpret(CHAR).hasMetadata());
       EXPECT_FALSE(t.graph().clone(FLOAT, q).hasMetadata());
       return Case{Sequence(), nullptr};
     }},
    {"a clone may get other metadata",
     [](ContractTable &t) {
       const Tensor other = fixed(t, Format::F152, 0);
       const Tensor floats = t.over(FLOAT, {3});
       const Tensor q = t.graph().clone(QUARTER, other, floats, "clone");
       EXPECT_EQ(q.getMetadata(), other);
       EXPECT_EQ(t.graph().getTileMapping(q), t.graph().getTileMapping(floats));
       refuses<tensor_metadata_error>([&] { t.graph().clone(HALF, other, floats); }, "half");
       refuses<tensor_metadata_error>([&] { t.graph().clone(QUARTER, floats, floats); },
                                      "one quarter_metadata");
       return Case{Sequence(), nullptr};
     }},
    {"quarters of different meaning are not joined",
     [](ContractTable &t) {
       const Tensor a = quarters(t, fixed(t, Format::F143, 0), {1});
       const Tensor alike = quarters(t, fixed(t, Format::F143, 0), {1});
       const Tensor b = quarters(t, fixed(t, Format::F152, 0), {1});
       EXPECT_EQ(concat(a, alike).numElements(), 2U);
       refuses<tensor_metadata_error>([&] { concat(a, b); }, "different metadata");
       return Case{Sequence(), nullptr};
     }},
    {"a copy takes the metadata with it",
     [](ContractTable &t) {
       const Tensor from =
           t.mapped(t.graph().addConstant(QUARTER, QuarterMetadata(Format::F143, 4), {2}, 16.0f));
       const Tensor to = quarters(t, createVariableMetadataTensor(t.graph(), Format::F152, 0), {2});
       return prints(Sequence({Copy(from, to), PrintTensor("to", to)}),
                     "to: [16.000000 16.000000]\n");
     }},
    {"a copy to constant metadata needs the same",
     [](ContractTable &t) {
       const Tensor from = quarters(t, fixed(t, Format::F143, 1), {1});
       const Tensor alike = quarters(t, fixed(t, Format::F143, 1), {1});
       const Tensor other = quarters(t, fixed(t, Format::F143, 0), {1});
       refuses<tensor_metadata_error>([&] { Copy(from, other); }, "are a constant");
       return Case{Copy(from, alike), nullptr};
     }},
    {"elements of other types have none, and the variables made with it have none either",
     [](ContractTable &t) {
       const std::vector<std::size_t> shape{2, 3};
       const Tensor floats = t.over(FLOAT, shape);
       EXPECT_FALSE(floats.getMetadata().valid());
       EXPECT_TRUE(QUARTER.requiresMetadata());
       EXPECT_FALSE(FLOAT.requiresMetadata() || QUARTER_METADATA.requiresMetadata());
       const Tensor u = t.graph().addVariable(FLOAT, floats.getMetadata(), shape, "u");
       EXPECT_EQ(u.shape(), shape);
       EXPECT_EQ(t.graph().addVariable(HALF, {}, shape).shape(), shape);
       EXPECT_EQ(t.graph().clone(HALF, Tensor(), floats).elementType(), HALF);
       const Tensor c = t.mapped(t.graph().addConstant(FLOAT, Tensor(), {2}, 3.0f));
       return Case{Sequence(), t.becomes<float>(c, {3, 3})};
     }},
    {"quarters that are added without it get a variable of their own, which copies set",
     [](ContractTable &t) {
       const std::vector<std::size_t> shape{2};
       const Tensor q = t.mapped(t.graph().addVariable(QUARTER, {}, shape, "q"));
       const Tensor from =
           t.mapped(t.graph().addConstant(QUARTER, QuarterMetadata(Format::F143, 4), {2}, 16.0f));
       EXPECT_TRUE(q.hasMetadata());
       const Copy onItself(q.getMetadata(), t.graph().clone(q).getMetadata());
       return prints(Sequence({Copy(from, q), onItself, PrintTensor("q", q)}),
                     "q: [16.000000 16.000000]\n");
     }},
    {"functions of codelets convert, and say where a number is too large",
     [](ContractTable &t) {
       const Tensor q = t.mapped(
           t.graph().addConstant(QUARTER, QuarterMetadata(Format::F143, 0), {5}, kNumbers));
       const Tensor out = t.over(FLOAT, {5});
       return Case{
           vertex(t, "Converted", q, q.getMetadata().reshape({1}).reinterpret(UNSIGNED_CHAR), out),
           t.becomes<float>(out, {1, -0.25f, 3.5f, 240, 128})};
     }},
    {"constants are converted by a constant; 0 is 0 whatever the metadata will be",
     [](ContractTable &t) {
       const Tensor variable = createVariableMetadataTensor(t.graph(), Format::F143, 0);
       const Tensor zero = t.mapped(t.graph().addConstant(QUARTER, variable, {2}, 0));
       EXPECT_EQ(zero.getMetadata(), variable);
       refuses<tensor_metadata_error>([&] { t.graph().addConstant(QUARTER, variable, {2}, 1); },
                                      "constant");
       refuses<tensor_metadata_error>([&] { t.graph().addConstant(FLOAT, variable, {2}, 1); },
                                      "float");
       const Tensor q =
           t.mapped(t.graph().addConstant(QUARTER, fixed(t, Format::F143, 0), {5}, kNumbers));
       const auto isZero = t.becomes<unsigned char>(zero, Bytes{0, 0});
       const auto isQ = t.becomes<unsigned char>(q, kCodes143);
       return Case{Sequence(), [isZero, isQ](ContractTable &table) {
                     isZero(table);
                     isQ(table);
                   }};
     }},
    {"numbers are printed, and codes where nothing says what they mean",
     [](ContractTable &t) {
       const Tensor q =
           t.mapped(t.graph().addConstant(QUARTER, QuarterMetadata(Format::F143, 0), {2, 2}, 1.5f));
       const Tensor bare = t.over(QUARTER, {1});
       return prints(Sequence({PrintTensor("q", q), PrintTensor("codes", bare)}),
                     "q: [\n [1.5000000 1.5000000]\n [1.5000000 1.5000000]\n]\ncodes: [0]\n");
     }},
};

class QuarterContract : public ContractRow<Row> {};
INSTANTIATE_TEST_SUITE_P(Rows, QuarterContract, onEveryDevice(kQuarterRows), rowName<Row>);

TEST_P(QuarterContract, BehavesAsDocumented) { holds(row(), kQuarterCodelets); }

using QuartersOfTheHost = OnEveryDevice;

TEST_P(QuartersOfTheHost, FieldsDoNotCarryMetadata) {
  std::stringstream source(kQuarterCodelets);
  graph_.addCodelets(source);
  const Tensor q = graph_.addConstant(QUARTER, QuarterMetadata(Format::F143, 3), {1}, 1.0f);
  const Tensor out = graph_.addVariable(FLOAT, {}, "out");
  spread(q);
  spread(out);
  const ComputeSet set = graph_.addComputeSet("asks");
  const VertexRef v = graph_.addVertex(set, "AsksItsField", {{"in", q}, {"out", out}});
  graph_.setTileMapping(v, 0);
  Engine engine = load(Execute(set));
  EXPECT_THROW(engine.run(), poplar_error);
}

TEST_P(QuartersOfTheHost, TravelWithTheirMetadata) {
  const Tensor metadata = createVariableMetadataTensor(graph_, Format::F152, 0);
  const Tensor from = graph_.addVariable(QUARTER, metadata, {2});
  const Tensor to = graph_.addVariable(QUARTER, {}, std::vector<std::size_t>{2});
  spread(from);
  spread(to);
  graph_.createHostWrite("quarters", from);
  graph_.createHostRead("quarters", to);
  Engine engine = load(Copy(from, to));
  const QuarterMetadata given(Format::F143, 4);
  const Bytes codes{0x40, 0x48};
  engine.writeTensor("quarters", given, codes.data(), codes.data() + 2);
  engine.run();
  QuarterMetadata read;
  Bytes readCodes(2);
  engine.readTensor("quarters", read, readCodes.data(), readCodes.data() + 2);
  EXPECT_EQ(read, given);
  EXPECT_EQ(readCodes, codes);
  EXPECT_EQ(QuarterMetadata().getBinary(), 0);
}

TEST_P(QuartersOfTheHost, KeepConstantMetadata) {
  const Tensor metadata = createConstantMetadataTensor(graph_, Format::F143, 1);
  const Tensor q = graph_.addVariable(QUARTER, metadata, {1});
  spread(q);
  graph_.createHostWrite("fixed", q);
  hostVariable(QUARTER, {1}, "bare");
  Engine engine = load(Sequence());
  unsigned char code = 0;
  const auto write = [&](const char *handle, int scale) {
    engine.writeTensor(handle, QuarterMetadata(Format::F143, scale), &code, &code + 1);
  };
  write("fixed", 1);
  refuses<tensor_metadata_error>([&] { write("fixed", 2); }, "are a constant");
  refuses<tensor_metadata_error>([&] { write("bare", 1); }, "no metadata");
  QuarterMetadata read;
  refuses<tensor_metadata_error>([&] { engine.readTensor("bare", read, &code, &code + 1); },
                                 "no metadata");
  refuses<poplar_error>([&] { write("nobody", 1); }, "nobody");
}

INSTANTIATE_TEST_SUITE_P(Devices, QuartersOfTheHost, ::testing::ValuesIn(kDevices), deviceName);

} // namespace
} // namespace copse::test
