// Compares the estimate of matMul's inner products on a tile with loops in tile assembly that use
// the AMP units, and whose cycles are exact.
#include "loop_comparison.hpp"
#include "poplin/MatMul.hpp"

#include <poplin/codelets.hpp>
#include <poputil/VertexTemplates.hpp>
#include <string>
#include <vector>

namespace copse::test {
namespace {

using namespace poplar;
using poplar::program::Copy;

/// A product of one tile, [rows, depth] x [depth, width].
struct Product {
  Type inputType, partialType;
  std::size_t rows, depth, width;
};

void PrintTo(const Product &p, std::ostream *out) {
  *out << p.inputType.toString() << " to " << p.partialType.toString() << ", [" << p.rows << ","
       << p.depth << "] x [" << p.depth << "," << p.width << "]";
}

class InnerProductLoops : public LoopComparison, public ::testing::WithParamInterface<Product> {
protected:
  InnerProductLoops() : LoopComparison(HOT_LOOP_SOURCES, 1), p_(GetParam()) {
    poplin::addCodelets(graph_);
    const Target &target = graph_.getTarget();
    grain_ = target.getWeightsPerConvUnit(p_.inputType);
    units_ = target.getNumConvUnits(p_.inputType, p_.partialType);
    workers_ = target.getNumWorkerContexts();
  }

  /// Returns a matrix of small whole numbers, whose sums of products even halves represent exactly.
  Tensor matrix(std::size_t rows, std::size_t columns, unsigned seed) {
    const Tensor t = onTile(p_.inputType, {rows, columns});
    std::vector<float> values(t.numElements());
    for (std::size_t i = 0; i != values.size(); ++i)
      values[i] = static_cast<float>((i / columns * 7 + i % columns * 3 + seed) % 6) - 2;
    graph_.setInitialValue(t, ArrayRef<float>(values));
    return t;
  }
  Tensor copyOf(const Tensor &t) {
    const Tensor copy = onTile(t.elementType(), t.shape());
    prepare_.add(Copy(t, copy));
    return copy;
  }
  /// Returns [block of inputs][row][input].
  Tensor inBlocks(const Tensor &a) {
    return copyOf(a.reshape({p_.rows, p_.depth / grain_, grain_}).dimShuffle({1, 0, 2}));
  }
  /// Returns [block of outputs][block of inputs][unit][input]. Results leave the sets of eight
  /// units in turns, two of each at once.
  Tensor weightsOfUnits(const Tensor &b) {
    return copyOf(b.reshape({p_.depth / grain_, grain_, p_.width / units_, 4, units_ / 8, 2})
                      .dimShuffle({2, 0, 4, 3, 5, 1}));
  }
  /// \returns the product, [row][output]
  Tensor addLoop(const Tensor &a, const Tensor &b) {
    const Tensor out = onTile(p_.partialType, {p_.width / units_, p_.rows, units_});
    const VertexRef v =
        vertex(poputil::templateVertex("InnerProductLoop", p_.inputType, p_.partialType));
    graph_.connect(v["in"], inBlocks(a).flatten());
    graph_.connect(v["weights"], weightsOfUnits(b).flatten());
    graph_.connect(v["out"], out.flatten());
    const std::size_t rowsOfWorker = p_.rows / workers_;
    const auto bytesOf = [&](const Type &type, std::size_t elements) {
      return static_cast<unsigned>(elements * graph_.getTarget().getTypeSize(type));
    };
    graph_.setInitialValue(v["inBlocks"], static_cast<unsigned>(p_.depth / grain_));
    graph_.setInitialValue(v["outBlocks"], static_cast<unsigned>(p_.width / units_));
    graph_.setInitialValue(v["workerBytes"], bytesOf(p_.inputType, rowsOfWorker * grain_));
    graph_.setInitialValue(v["blockBytes"], bytesOf(p_.inputType, p_.rows * grain_));
    graph_.setInitialValue(v["outBytes"], bytesOf(p_.partialType, p_.rows * units_));
    graph_.setInitialValue(v["turns"], static_cast<unsigned>(rowsOfWorker - 2));
    return out.dimShuffle({1, 0, 2});
  }
  Tensor addMatMul(const Tensor &a, const Tensor &b) {
    const OptionFlags options{{"partialsType", p_.partialType.toString().cloneAsString()}};
    const Tensor lhs = poplin::createMatMulInputLHS(graph_, p_.inputType, p_.partialType, a.shape(),
                                                    b.shape(), "a", options);
    const Tensor rhs = poplin::createMatMulInputRHS(graph_, p_.inputType, p_.partialType, a.shape(),
                                                    b.shape(), "b", options);
    prepare_.add(Copy(a, lhs));
    prepare_.add(Copy(b, rhs));
    return poplin::matMul(graph_, lhs, rhs, operation_, p_.partialType, "product", options);
  }

  const Product p_;

private:
  std::size_t grain_, units_, workers_;
};

TEST_P(InnerProductLoops, TakeTheCyclesOfTheEstimate) {
  const Tensor a = matrix(p_.rows, p_.depth, 0), b = matrix(p_.depth, p_.width, 1);
  const Tensor loop = addLoop(a, b);
  expectAgreement(loop, addMatMul(a, b));
}

INSTANTIATE_TEST_SUITE_P(Types, InnerProductLoops,
                         ::testing::Values(Product{HALF, FLOAT, 96, 128, 16},
                                           Product{HALF, HALF, 96, 128, 16},
                                           Product{FLOAT, FLOAT, 96, 64, 16},
                                           Product{HALF, HALF, 36, 64, 64},
                                           Product{FLOAT, FLOAT, 24, 128, 32}),
                         [](const auto &p) {
                           return p.param.inputType.toString().cloneAsString() + "To" +
                                  p.param.partialType.toString().cloneAsString() +
                                  std::to_string(p.param.rows);
                         });

} // namespace
} // namespace copse::test
