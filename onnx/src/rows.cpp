#include "rows.hpp"

#include "operator_context.hpp"

#include <cstring>

namespace copse::onnx {
namespace {

class RowReader final : public poplar::StreamCallback {
public:
  RowReader(const std::vector<char> &rows, std::size_t bytes, std::size_t first, std::size_t stride)
      : rows_(rows), bytes_(bytes), first_(first), stride_(stride), next_(first) {}

  Result prefetch(void *p) override {
    fetch(p);
    return Success;
  }
  void fetch(void *p) override { std::memcpy(p, rows_.data() + next_ * bytes_, bytes_); }
  void complete() override {
    next_ += stride_;
    if ((next_ + 1) * bytes_ > rows_.size())
      next_ = (first_ + 1) * bytes_ > rows_.size() ? 0 : first_;
  }

private:
  const std::vector<char> &rows_;
  std::size_t bytes_, first_, stride_, next_;
};

class RowWriter final : public poplar::StreamCallback {
public:
  RowWriter(std::vector<char> &rows, std::size_t bytes, std::size_t first, std::size_t stride)
      : rows_(rows), bytes_(bytes), stride_(stride), next_(first) {}

  Result prefetch(void *) override { return NotAvailable; }
  void fetch(void *p) override {
    if ((next_ + 1) * bytes_ <= rows_.size())
      std::memcpy(rows_.data() + next_ * bytes_, p, bytes_);
    next_ += stride_;
  }
  void complete() override {}

private:
  std::vector<char> &rows_;
  std::size_t bytes_, stride_, next_;
};

} // namespace

std::vector<char> deviceBytes(const HostTensor &tensor, const poplar::Target &target) {
  const poplar::Type type = deviceType(tensor.type);
  const std::size_t width = target.getTypeSize(type);
  std::vector<char> bytes(tensor.elements() * width);
  if (type == poplar::HALF)
    poplar::copyFloatToDeviceHalf(target, tensor.reals.data(), bytes.data(), tensor.elements());
  else
    for (std::size_t i = 0; i < tensor.elements(); ++i)
      std::memcpy(bytes.data() + i * width,
                  isReal(tensor.type) ? static_cast<const void *>(&tensor.reals[i])
                                      : static_cast<const void *>(&tensor.integers[i]),
                  width);
  return bytes;
}

HostTensor hostTensor(const std::vector<char> &bytes, ElementType type, Shape shape,
                      const poplar::Target &target) {
  HostTensor tensor = makeTensor(type, std::move(shape));
  const poplar::Type device = deviceType(type);
  const std::size_t width = target.getTypeSize(device);
  if (device == poplar::HALF)
    poplar::copyDeviceHalfToFloat(target, bytes.data(), tensor.reals.data(), tensor.elements());
  else
    for (std::size_t i = 0; i < tensor.elements(); ++i) {
      if (isReal(type)) {
        std::memcpy(&tensor.reals[i], bytes.data() + i * width, width);
      } else {
        std::memcpy(&tensor.integers[i], bytes.data() + i * width, width);
        if (device == poplar::INT)
          tensor.integers[i] = static_cast<std::int32_t>(tensor.integers[i]);
        tensor.integers[i] = wrapped(tensor.integers[i], type);
      }
    }
  return tensor;
}

std::unique_ptr<poplar::StreamCallback> rowReader(const std::vector<char> &rows,
                                                  std::size_t rowBytes, std::size_t first,
                                                  std::size_t stride) {
  if ((first + 1) * rowBytes > rows.size()) // there is one row for all batches
    first = 0;
  return std::make_unique<RowReader>(rows, rowBytes, first, stride);
}

std::unique_ptr<poplar::StreamCallback> rowWriter(std::vector<char> &rows, std::size_t rowBytes,
                                                  std::size_t first, std::size_t stride) {
  return std::make_unique<RowWriter>(rows, rowBytes, first, stride);
}

} // namespace copse::onnx
