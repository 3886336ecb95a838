// The operator Einsum: sums of products whose dimensions have letters.
#include "matrix_products.hpp"
#include "operators.hpp"

#include <popops/ElementWise.hpp>

namespace copse::onnx {
namespace {

/// A tensor with a letter for each dimension. The dimensions of an ellipsis are digits, counted
/// from the last one.
struct Operand {
  std::string letters;
  poplar::Tensor tensor;

  bool has(char letter) const { return letters.find(letter) != std::string::npos; }
  std::size_t size(char letter) const {
    return tensor.dim(static_cast<unsigned>(letters.find(letter)));
  }
};

struct Equation {
  std::vector<std::string> inputs;
  std::string output;
};

/// Returns the letters of a term's dimensions. An ellipsis stands for the dimensions that \p rank
/// has in addition.
std::string spelledOut(const OperatorContext &c, std::string term, std::size_t rank) {
  const std::size_t at = term.find("...");
  if (at == std::string::npos)
    return term;
  const std::size_t named = term.size() - 3;
  if (rank < named || rank - named > 10)
    c.fail("'" + term + "' does not fit a tensor of " + std::to_string(rank) + " dimensions");
  std::string digits;
  for (std::size_t d = rank - named; d-- > 0;)
    digits += static_cast<char>('0' + d);
  return term.replace(at, 3, digits);
}

Equation equationOf(const OperatorContext &c) {
  std::string text = c.attribute<std::string>("equation", "");
  text.erase(std::remove(text.begin(), text.end(), ' '), text.end());
  const std::size_t arrow = text.find("->");
  Equation equation;
  std::string terms = text.substr(0, arrow), all;
  std::size_t most = 0;
  for (std::size_t i = 0; i < c.numInputs(); ++i) {
    const std::size_t comma = terms.find(',');
    const std::string term = terms.substr(0, comma);
    terms = comma == std::string::npos ? "" : terms.substr(comma + 1);
    equation.inputs.push_back(spelledOut(c, term, c.shape(i).size()));
    if (equation.inputs.back().size() != c.shape(i).size())
      c.fail("term '" + term + "' of '" + text + "' does not fit " + textOf(c.shape(i)));
    if (term.find("...") != std::string::npos)
      most = std::max(most, c.shape(i).size() - (term.size() - 3));
    all += equation.inputs.back();
  }
  if (arrow != std::string::npos) {
    const std::string term = text.substr(arrow + 2);
    equation.output = spelledOut(
        c, term, term.find("...") == std::string::npos ? term.size() : term.size() - 3 + most);
    return equation;
  }
  for (std::size_t d = most; d-- > 0;) // letters that occur once follow the ellipsis, in order
    equation.output += static_cast<char>('0' + d);
  for (char letter = 'A'; letter <= 'z'; ++letter)
    if (std::isalpha(letter) != 0 && std::count(all.begin(), all.end(), letter) == 1)
      equation.output += letter;
  return equation;
}

/// Returns the elements at which all dimensions of one letter have equal indices.
Operand withoutRepeats(Operand operand) {
  for (std::size_t a = 0; a < operand.letters.size(); ++a)
    for (std::size_t b;
         (b = operand.letters.find(operand.letters[a], a + 1)) != std::string::npos;) {
      const auto first = static_cast<unsigned>(a), second = static_cast<unsigned>(b);
      std::vector<poplar::Tensor> parts;
      for (std::size_t i = 0; i < operand.tensor.dim(first); ++i)
        parts.push_back(operand.tensor.slice(i, i + 1, first).slice(i, i + 1, second));
      operand.tensor = poplar::concat(parts, first).squeeze({b});
      operand.letters.erase(b, 1);
    }
  return operand;
}

/// Sums over the letters that are not in \p keep.
Operand summed(OperatorContext &c, Operand operand, const std::string &keep) {
  std::vector<std::size_t> dims;
  std::string left;
  for (std::size_t d = 0; d < operand.letters.size(); ++d)
    if (keep.find(operand.letters[d]) == std::string::npos)
      dims.push_back(d);
    else
      left += operand.letters[d];
  if (!dims.empty())
    operand.tensor = summed(c, operand.tensor, dims);
  operand.letters = left;
  return operand;
}

/// Returns the tensor with its dimensions in the order of \p letters, all of which the operand has.
poplar::Tensor ordered(const Operand &operand, const std::string &letters) {
  std::vector<unsigned> order;
  for (const char letter : letters)
    order.push_back(static_cast<unsigned>(operand.letters.find(letter)));
  return operand.tensor.dimShuffle(order);
}

Shape sizesOf(const Operand &operand, const std::string &letters) {
  Shape shape;
  for (const char letter : letters)
    shape.push_back(operand.size(letter));
  return shape;
}

/// Broadcasts common dimensions of which one has size 1.
void broadcastCommon(const OperatorContext &c, Operand &a, Operand &b) {
  for (std::size_t d = 0; d < a.letters.size(); ++d) {
    const std::size_t other = b.letters.find(a.letters[d]);
    if (other == std::string::npos)
      continue;
    const auto inA = static_cast<unsigned>(d), inB = static_cast<unsigned>(other);
    const std::size_t sizeA = a.tensor.dim(inA), sizeB = b.tensor.dim(inB);
    if (sizeA != sizeB && sizeA != 1 && sizeB != 1)
      c.fail(std::string("dimensions '") + a.letters[d] + "' have sizes " + std::to_string(sizeA) +
             " and " + std::to_string(sizeB));
    if (sizeA < sizeB)
      a.tensor = a.tensor.broadcast(static_cast<unsigned>(sizeB), inA);
    else if (sizeB < sizeA)
      b.tensor = b.tensor.broadcast(static_cast<unsigned>(sizeA), inB);
  }
}

/// Multiplies two operands and sums over common letters that are not in \p keep: a product of
/// grouped matrices.
Operand contracted(OperatorContext &c, Operand a, Operand b, const std::string &keep) {
  broadcastCommon(c, a, b);
  std::string group, sum, rows, columns;
  for (const char letter : a.letters)
    (!b.has(letter) ? rows : keep.find(letter) != std::string::npos ? group : sum) += letter;
  for (const char letter : b.letters)
    if (!a.has(letter))
      columns += letter;
  const std::size_t g = elementsOf(sizesOf(a, group)), k = elementsOf(sizesOf(a, sum));
  const poplar::Tensor left =
      ordered(a, group + rows + sum).reshape({g, elementsOf(sizesOf(a, rows)), k});
  const poplar::Tensor right =
      ordered(b, group + sum + columns).reshape({g, k, elementsOf(sizesOf(b, columns))});
  const poplar::Tensor product = sum.empty()
                                     ? popops::mul(c.graph, left, right, c.prog, c.node.name)
                                     : groupedProduct(c, left, right);
  Shape shape = sizesOf(a, group + rows);
  for (const std::size_t size : sizesOf(b, columns))
    shape.push_back(size);
  return {group + rows + columns, product.reshape(shape)};
}

/// Returns the shape of the result if an input has no elements. The result is zero then.
std::optional<Shape> shapeWithoutElements(const OperatorContext &c, const Equation &equation) {
  std::map<char, std::size_t> sizes;
  bool isEmpty = false;
  for (std::size_t i = 0; i < c.numInputs(); ++i)
    for (std::size_t d = 0; d < c.shape(i).size(); ++d) {
      const std::size_t size = c.shape(i)[d];
      const auto known = sizes.emplace(equation.inputs[i][d], size).first;
      if (known->second != size && known->second != 1 && size != 1)
        c.fail(std::string("dimensions '") + known->first + "' have sizes " +
               std::to_string(known->second) + " and " + std::to_string(size));
      known->second = known->second == 1 ? size : known->second;
      isEmpty = isEmpty || size == 0;
    }
  if (!isEmpty)
    return std::nullopt;
  Shape shape;
  for (const char letter : equation.output)
    shape.push_back(sizes.count(letter) != 0 ? sizes[letter] : 1);
  return shape;
}

void einsum(OperatorContext &c) {
  const Equation equation = equationOf(c);
  if (const auto shape = shapeWithoutElements(c, equation))
    return c.outputFilled(0, *shape, c.type());
  std::vector<Operand> operands;
  for (std::size_t i = 0; i < c.numInputs(); ++i)
    operands.push_back(withoutRepeats({equation.inputs[i], c.tensor(i)}));
  const auto lettersFrom = [&](std::size_t first) { // letters of the output and of later operands
    std::string letters = equation.output;
    for (std::size_t i = first; i < operands.size(); ++i)
      letters += operands[i].letters;
    return letters;
  };
  Operand result = summed(c, operands[0], lettersFrom(1));
  for (std::size_t i = 1; i < operands.size(); ++i) {
    const std::string later = lettersFrom(i + 1);
    result = contracted(c, result, summed(c, operands[i], later + result.letters), later);
    result = summed(c, result, later);
  }
  for (const char letter : equation.output)
    if (!result.has(letter))
      c.fail(std::string("no input has the output's dimension '") + letter + "'");
  c.output(ordered(result, equation.output));
}

} // namespace

void addEinsum(OperatorTable &table) { table["Einsum"] = einsum; }

} // namespace copse::onnx
