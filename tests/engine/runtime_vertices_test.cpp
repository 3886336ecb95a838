// Tests the vertices of poplar_rt, which Poplar itself has: they transpose matrices like the host.
#include "devices.hpp"

#include <functional>
#include <numeric>

namespace copse::test {
namespace {

using namespace poplar;
using namespace poplar::program;

constexpr unsigned kWorkers = 6;

/// Matrices of integers, one after another.
struct Matrices {
  unsigned matrices, rows, columns;
  unsigned size() const { return rows * columns; }
};

template <class T> std::vector<T> turned(const std::vector<T> &in, const Matrices &of) {
  std::vector<T> out(in.size());
  for (unsigned m = 0; m < of.matrices; ++m)
    for (unsigned row = 0; row < of.rows; ++row)
      for (unsigned column = 0; column < of.columns; ++column)
        out[m * of.size() + column * of.rows + row] = in[m * of.size() + row * of.columns + column];
  return out;
}

class RuntimeVertices : public OnEveryDevice {
protected:
  struct Operands {
    Tensor in, out;
  };

  /// Variables of \p type, and the host's view of them.
  template <class T> Operands operands(const Type &type, const Matrices &of) {
    const std::string name = "v" + std::to_string(checks_.size());
    const std::size_t elements = std::size_t{of.matrices} * of.size();
    const Tensor in = graph_.addVariable(type, {elements}, name), out = graph_.clone(in);
    graph_.setTileMapping(in, 0);
    graph_.setTileMapping(out, 0);
    graph_.createHostRead(name, out);
    std::vector<T> values(elements);
    std::iota(values.begin(), values.end(), T{1});
    graph_.setInitialValue(in, values);
    checks_.push_back([this, name, expected = turned(values, of)](Engine &engine) {
      EXPECT_EQ(read<T>(engine, name.c_str(), expected.size()), expected) << name;
    });
    return {in, out};
  }
  VertexRef add(const std::string &kind, const Type &of) {
    const VertexRef v =
        graph_.addVertex(set_, "poplar_rt::" + kind + "<" + of.toString().cloneAsString() + ">");
    graph_.setTileMapping(v, 0);
    return v;
  }
  VertexRef addOfBlocks(const std::string &kind, const Type &type, const Operands &operands,
                        const Matrices &of, unsigned block) {
    const VertexRef v = add(kind, type);
    graph_.connect(v["src"], operands.in.reinterpret(type));
    graph_.connect(v["dst"], operands.out.reinterpret(type));
    graph_.setInitialValue(v["numSrcRowsD4Or8"], of.rows / block);
    graph_.setInitialValue(v["numSrcColumnsD4Or8"], of.columns / block);
    return v;
  }
  /// Adds each kind of vertex of whole blocks; the codelets see elements of \p type.
  template <class T> void addAllOfBlocks(const Type &hostType, const Type &type) {
    constexpr unsigned kBlock = sizeof(T) == 1 ? 8 : 4;
    for (const Matrices &of : {Matrices{13, kBlock, 2 * kBlock}, {4, 3 * kBlock, kBlock}}) {
      const VertexRef shared =
          addOfBlocks("Transpose1D", type, operands<T>(hostType, of), of, kBlock);
      // The last worker with one matrix more is the one of the remainder, as PopLibs counts them.
      const unsigned most = (of.matrices + kWorkers - 1) / kWorkers;
      graph_.setInitialValue(shared["numTranspositions"], most);
      graph_.setInitialValue(shared["workerCount"], of.matrices - (most - 1) * kWorkers);
      const VertexRef single =
          addOfBlocks("Transpose1DSingleWorker", type, operands<T>(hostType, of), of, kBlock);
      graph_.setInitialValue(single["numTranspositionsM1"], of.matrices - 1);
    }
    for (const Matrices &of : {Matrices{1, 4 * kBlock, 2 * kBlock}, {2, 2 * kBlock, 3 * kBlock}}) {
      const VertexRef split =
          addOfBlocks("SplitTranspose1D", type, operands<T>(hostType, of), of, kBlock);
      std::vector<unsigned short> list;
      for (unsigned m = 0; m < of.matrices; ++m)
        for (unsigned row = 0; row < of.rows / kBlock; row += 2)
          for (unsigned column = 0; column < of.columns / kBlock; ++column)
            for (const unsigned value : {m * of.size() / kBlock + row * of.columns + column,
                                         m * of.size() / kBlock + column * of.rows + row, 2U, 1U})
              list.push_back(static_cast<unsigned short>(value));
      const Tensor work = graph_.addConstant(UNSIGNED_SHORT, {list.size()}, list.data());
      graph_.setTileMapping(work, 0);
      graph_.connect(split["workList"], work);
    }
  }
  template <class T> void addOfAnySize(const Type &hostType, const Type &type) {
    const Matrices of{1, 3, 5};
    std::vector<Tensor> in, out;
    for (unsigned i = 0; i < 3; ++i) {
      const Operands one = operands<T>(hostType, of);
      in.push_back(one.in.reinterpret(type));
      out.push_back(one.out.reinterpret(type));
    }
    const VertexRef v = add("Transpose2D", type);
    graph_.connect(v["src"], in);
    graph_.connect(v["dst"], out);
    graph_.setInitialValue(v["numSrcRows"], of.rows);
    graph_.setInitialValue(v["numSrcColumns"], of.columns);
  }
  void runAndCheck() {
    Engine engine = load(Execute(set_));
    engine.run();
    for (const auto &check : checks_)
      check(engine);
  }
  bool hasHalves() const { return graph_.getTarget().getTypeSize(HALF) == 2; }

  ComputeSet set_ = graph_.addComputeSet("turn");
  std::vector<std::function<void(Engine &)>> checks_;
};

TEST_P(RuntimeVertices, TransposeMatricesOfWholeBlocks) {
  addAllOfBlocks<unsigned char>(UNSIGNED_CHAR, UNSIGNED_CHAR);
  addAllOfBlocks<unsigned short>(UNSIGNED_SHORT, UNSIGNED_SHORT);
  addAllOfBlocks<short>(SHORT, SHORT);
  if (hasHalves())
    addAllOfBlocks<short>(SHORT, HALF);
  runAndCheck();
}

TEST_P(RuntimeVertices, TransposeMatricesOfAnySize) {
  addOfAnySize<unsigned char>(UNSIGNED_CHAR, UNSIGNED_CHAR);
  addOfAnySize<short>(SHORT, SHORT);
  if (hasHalves())
    addOfAnySize<short>(SHORT, HALF);
  addOfAnySize<int>(INT, INT);
  addOfAnySize<int>(INT, FLOAT);
  runAndCheck();
}

TEST_P(RuntimeVertices, HaveTheTypesOfPoplar) {
  EXPECT_THROW(add("Transpose1D", FLOAT), unknown_vertex_type);
  EXPECT_THROW(add("Turn", FLOAT), unknown_vertex_type);
}

INSTANTIATE_TEST_SUITE_P(, RuntimeVertices,
                         ::testing::Values(DeviceKind{"Cpu1", TargetType::CPU, 1},
                                           DeviceKind{"Model1", TargetType::IPU_MODEL, 1},
                                           DeviceKind{"Ipu1", TargetType::IPU, 1}),
                         deviceName);

} // namespace
} // namespace copse::test
