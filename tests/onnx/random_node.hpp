#pragma once

#include "model.hpp"

#include <functional>
#include <random>
#include <set>

namespace copse::test {

/// The required output of a node. A real may differ by a small part of the greater of its size and
/// its magnitude, which is the size of the terms that were added up.
struct Expected {
  onnx::HostTensor value;
  std::vector<double> magnitudes; ///< empty: the elements' own sizes
};

/// A node with inputs, and its required output, computed by plain loops from the standard's text
/// and NumPy's rules.
struct RandomNode {
  std::string op;
  std::vector<onnx::HostTensor> inputs = {};
  std::vector<bool> known = {}; ///< by input: a constant of the model, which some lowerings need
  std::set<std::size_t> omitted = {}; ///< inputs that the node does not have
  std::map<std::string, onnx::Attribute> attributes = {};
  std::vector<Expected> expected = {}; ///< of all outputs, in order
  double tolerance = 4; ///< how many times the last digit of its type a real may be off

  void add(onnx::HostTensor input, bool mustBeKnown = false) {
    inputs.push_back(std::move(input));
    known.push_back(mustBeKnown);
  }
  /// Adds an optional input that the node does not have.
  void omit() {
    omitted.insert(inputs.size());
    add(onnx::makeTensor(onnx::ElementType::Float, {0}));
  }
};

/// Draws shapes, types and elements, the same ones for the same seeds.
///
/// A codelet takes a hundred times as long to compile as to compare. Codelets depend on operators
/// and types, so these are drawn from a seed of their own, which several nodes may share.
class Random {
public:
  Random(std::uint64_t kind, std::uint64_t form) : kinds_(kind), engine_(form) {}

  /// Draw an operator, a type, or another choice of a node's kind.
  std::size_t kindBelow(std::size_t n) { return kinds_() % n; }
  template <class T> T pick(const std::vector<T> &from) { return from[kindBelow(from.size())]; }

  std::size_t below(std::size_t n) { return engine_() % n; }
  std::size_t between(std::size_t low, std::size_t high) { return low + below(high - low + 1); }
  bool oneIn(std::size_t n) { return below(n) == 0; }
  /// Draws one of several values, which belongs to the form.
  template <class T> T oneOf(const std::vector<T> &from) { return from[below(from.size())]; }
  std::int64_t signedBetween(std::int64_t low, std::int64_t high) {
    return low + static_cast<std::int64_t>(below(static_cast<std::size_t>(high - low + 1)));
  }
  /// Returns an axis as nodes give it: counted from either end.
  std::int64_t axis(std::size_t axis, std::size_t rank) {
    return static_cast<std::int64_t>(axis) - (oneIn(3) ? static_cast<std::int64_t>(rank) : 0);
  }
  double fraction() { return static_cast<double>(engine_() >> 11) * 0x1p-53; }

  /// Draws a size, sometimes 0 or 1.
  std::size_t size() { return oneIn(25) ? 0 : oneIn(4) ? 1 : between(2, 5); }
  std::size_t sizeFrom1() { return oneIn(4) ? 1 : between(2, 5); }
  onnx::Shape shape(std::size_t lowestRank, std::size_t highestRank);
  /// Draws a shape of no higher rank that broadcasts to \p shape.
  onnx::Shape broadcastable(const onnx::Shape &shape);

  /// The kind of reals that are drawn.
  enum class Reals {
    Ordinary, ///< between -4 and 4
    Wide,     ///< any size that floats have, or halves
    Special   ///< also NaN, infinities and signed zeros
  };
  double real(Reals like, onnx::ElementType type);
  /// Draws elements of any type: integers from the range of the type, those of 64 bits up to 1000.
  onnx::HostTensor tensor(onnx::ElementType type, const onnx::Shape &shape,
                          Reals like = Reals::Special);
  onnx::HostTensor integers(onnx::ElementType type, const onnx::Shape &shape, std::int64_t low,
                            std::int64_t high);

private:
  std::mt19937_64 kinds_, engine_;
};

extern const std::vector<onnx::ElementType> kReals, kIntegers, kNumbers, kAllTypes;

/// Draws one node. \param opset  by which its attributes and inputs go
using NodeMaker = std::function<RandomNode(Random &, std::int64_t opset)>;
// Add the families of nodes; each has a file. An operator with many forms is in the list several
// times.
void addNodesOfElements(std::vector<NodeMaker> &makers);
void addNodesOfSums(std::vector<NodeMaker> &makers);
void addNodesOfShapes(std::vector<NodeMaker> &makers);
void addNodesOfIndices(std::vector<NodeMaker> &makers);
void addNodesOfWindows(std::vector<NodeMaker> &makers);
void addNodesOfQuantities(std::vector<NodeMaker> &makers);
void addNodesOfSelections(std::vector<NodeMaker> &makers);
void addNodesOfRecurrences(std::vector<NodeMaker> &makers);
void addNodesOfIntegerWindows(std::vector<NodeMaker> &makers);
void addNodesOfPowers(std::vector<NodeMaker> &makers);
void addNodesOfResizing(std::vector<NodeMaker> &makers);

bool isSigned(onnx::ElementType type); ///< an integer's

// Functions for plain loops:

inline std::int64_t number(std::size_t size) { return static_cast<std::int64_t>(size); }

/// Calls \p visit with each index of \p shape, in row-major order.
void forEachIndex(const onnx::Shape &shape, const std::function<void(const onnx::Shape &)> &visit);
/// Returns where an index of a result is in a tensor that is broadcast to it.
std::size_t positionOf(const onnx::Shape &shape, const onnx::Shape &index);
onnx::Shape broadcastOf(const onnx::Shape &a, const onnx::Shape &b);
/// Set an element in the form of its type: a real is rounded, an integer wraps round.
void setElement(onnx::HostTensor &tensor, std::size_t position, double value);
void setInteger(onnx::HostTensor &tensor, std::size_t position, std::int64_t value);
onnx::HostTensor listOf(const std::vector<std::int64_t> &values);
/// Returns the result of a node that moves elements. \p from gives the position in the input.
onnx::HostTensor moved(const onnx::HostTensor &input, const onnx::Shape &shape,
                       const std::function<std::size_t(const onnx::Shape &)> &from);
void copyElement(onnx::HostTensor &to, std::size_t position, const onnx::HostTensor &from,
                 std::size_t source);
std::vector<std::int64_t> listOf(const onnx::Shape &shape);

} // namespace copse::test
