#include "host_array.hpp"

#include "errors.hpp"

#include <numeric>

namespace copse::onnx {

std::vector<std::ptrdiff_t> stridesOf(const Shape &shape) {
  std::vector<std::ptrdiff_t> strides(shape.size(), 1);
  for (std::size_t d = shape.size(); d-- > 1;)
    strides[d - 1] = strides[d] * static_cast<std::ptrdiff_t>(shape[d]);
  return strides;
}

std::vector<std::ptrdiff_t> HostArray::strides() const { return stridesOf(tensor_.shape); }

void HostArray::check(bool holds, const char *what) const {
  if (!holds)
    throw ModelError(std::string(what) + " does not fit a tensor of shape " +
                     textOf(tensor_.shape));
}

HostArray HostArray::strided(const Shape &shape, const std::vector<std::ptrdiff_t> &strides,
                             std::ptrdiff_t first) const {
  HostTensor result = makeTensor(tensor_.type, shape);
  const auto gather = [&](auto &to, const auto &from) {
    std::size_t next = 0;
    forEachPosition(shape, strides, first,
                    [&](std::size_t position) { to[next++] = from[position]; });
  };
  if (isReal(tensor_.type))
    gather(result.reals, tensor_.reals);
  else
    gather(result.integers, tensor_.integers);
  return HostArray(std::move(result));
}

HostArray HostArray::reshape(Shape shape) const {
  check(elementsOf(shape) == numElements(), "another shape");
  HostArray result = *this;
  result.tensor_.shape = std::move(shape);
  return result;
}

HostArray HostArray::expand(const std::vector<std::size_t> &positions) const {
  Shape shape = tensor_.shape;
  for (auto at = positions.rbegin(); at != positions.rend(); ++at) {
    check(*at <= shape.size(), "a new dimension");
    shape.insert(shape.begin() + static_cast<std::ptrdiff_t>(*at), 1);
  }
  return reshape(std::move(shape));
}

HostArray HostArray::dimShuffle(const std::vector<unsigned> &permutation) const {
  check(permutation.size() == rank(), "a permutation of dimensions");
  const auto from = strides();
  Shape shape;
  std::vector<std::ptrdiff_t> to;
  for (const unsigned d : permutation) {
    shape.push_back(dim(d));
    to.push_back(from[d]);
  }
  return strided(shape, to, 0);
}

HostArray HostArray::slice(std::size_t begin, std::size_t end, unsigned dimension) const {
  check(dimension < rank() && begin <= end && end <= dim(dimension), "a slice");
  const auto from = strides();
  Shape shape = tensor_.shape;
  shape[dimension] = end - begin;
  return strided(shape, from, static_cast<std::ptrdiff_t>(begin) * from[dimension]);
}

HostArray HostArray::subSample(unsigned stride, unsigned dimension) const {
  check(dimension < rank() && stride > 0, "every n-th element");
  auto to = strides();
  Shape shape = tensor_.shape;
  shape[dimension] = (shape[dimension] + stride - 1) / stride;
  to[dimension] *= stride;
  return strided(shape, to, 0);
}

HostArray HostArray::reverse(unsigned dimension) const {
  check(dimension < rank(), "a reversal");
  auto to = strides();
  const auto last = static_cast<std::ptrdiff_t>(std::max<std::size_t>(1, dim(dimension)) - 1);
  const std::ptrdiff_t first = last * to[dimension];
  to[dimension] = -to[dimension];
  return strided(tensor_.shape, to, first);
}

HostArray HostArray::broadcast(unsigned count, unsigned dimension) const {
  check(dimension < rank(), "a repetition");
  const auto at = static_cast<std::ptrdiff_t>(dimension);
  Shape shape = tensor_.shape;
  auto to = strides();
  shape.insert(shape.begin() + at, count);
  to.insert(to.begin() + at, 0);
  Shape merged = tensor_.shape;
  merged[dimension] *= count;
  return strided(shape, to, 0).reshape(std::move(merged));
}

HostArray concat(const std::vector<HostArray> &parts, unsigned dimension) {
  const HostArray &first = parts.at(0);
  Shape shape = first.shape();
  first.check(dimension < first.rank(), "a concatenation");
  shape[dimension] = 0;
  for (const HostArray &part : parts) {
    first.check(part.rank() == first.rank(), "a part of another rank");
    shape[dimension] += part.dim(dimension);
  }
  HostTensor result = makeTensor(first.tensor().type, shape);
  const auto from = shape.begin();
  const std::size_t outer = elementsOf(Shape(from, from + dimension)),
                    inner = elementsOf(Shape(from + dimension + 1, shape.end()));
  const auto gather = [&](auto &to, auto elements) {
    auto next = to.begin();
    for (std::size_t row = 0; row < outer; ++row)
      for (const HostArray &part : parts) {
        const auto width = static_cast<std::ptrdiff_t>(part.dim(dimension) * inner);
        const auto begin =
            elements(part.tensor_).begin() + static_cast<std::ptrdiff_t>(row) * width;
        next = std::copy(begin, begin + width, next);
      }
  };
  for (const HostArray &part : parts)
    first.check(part.numElements() == outer * part.dim(dimension) * inner &&
                    isReal(part.tensor_.type) == isReal(first.tensor_.type),
                "a part of another size or type");
  if (isReal(result.type))
    gather(result.reals, [](const HostTensor &t) -> const auto & { return t.reals; });
  else
    gather(result.integers, [](const HostTensor &t) -> const auto & { return t.integers; });
  return HostArray(std::move(result));
}

} // namespace copse::onnx
