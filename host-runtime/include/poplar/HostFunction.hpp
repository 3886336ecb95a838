#pragma once

#include "poplar/ArrayRef.hpp"
#include "poplar/DataStream.hpp"
#include "poplar/Tensor.hpp"
#include "poplar/Type.hpp"

#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace poplar {

/// One input or output of a host function: so many elements of a type.
struct HostFunctionArgument {
  HostFunctionArgument(const Type &type, std::size_t elements)
      : elementType(type), numElements(elements) {}
  Type elementType;
  std::size_t numElements; ///< of one replica and one call
};

/// A function of the host program that programs on the device call: Graph::addHostFunction makes
/// it, program::Call calls it, Engine::connectHostFunction says what it does.
class HostFunction {
public:
  HostFunction() = default;
  std::string handle() const { return handle_; }

private:
  friend class Graph;
  friend class program::Call;
  std::string handle_;
  std::vector<DataStream> inputs_, outputs_; ///< arguments travel as rows of streams
  std::vector<Tensor> nothing_;              ///< sent as the only "input" if there are no arguments
};

/// A host function as an object: derive from this class, and connect a std::unique_ptr.
class HostCallback {
public:
  virtual ~HostCallback() = default;
  virtual void operator()(ArrayRef<const void *> inputs, ArrayRef<void *> outputs) = 0;
};

/// What a host function does: gets where its inputs are, and where to put its outputs. Data is
/// row-major, elements have Target::getTypeSize bytes. Made from anything that can be called as
/// `f(ArrayRef<const void *>, ArrayRef<void *>)` or as `f(inputs, numInputs, outputs, numOutputs)`.
class HostCallbackHandle {
public:
  using Callback = std::function<void(ArrayRef<const void *>, ArrayRef<void *>)>;
  using PointerCallback =
      std::function<void(const void *const *, std::size_t, void *const *, std::size_t)>;

  template <typename F,
            typename = typename std::enable_if<std::is_constructible<Callback, F>::value>::type>
  HostCallbackHandle(F callback) : callback_(std::move(callback)) {}
  template <typename F, typename std::enable_if<std::is_constructible<PointerCallback, F>::value,
                                                int>::type = 0>
  HostCallbackHandle(F callback) {
    const PointerCallback f(std::move(callback));
    callback_ = [f](ArrayRef<const void *> inputs, ArrayRef<void *> outputs) {
      f(inputs.data(), inputs.size(), outputs.data(), outputs.size());
    };
  }

  template <typename C,
            typename std::enable_if<std::is_base_of<HostCallback, C>::value, int>::type = 0>
  HostCallbackHandle(std::unique_ptr<C> callback) {
    const std::shared_ptr<HostCallback> shared(std::move(callback));
    callback_ = [shared](ArrayRef<const void *> inputs, ArrayRef<void *> outputs) {
      (*shared)(inputs, outputs);
    };
  }

  const Callback &get() const { return callback_; }

private:
  Callback callback_;
};

} // namespace poplar
