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

/// Describes one input or output of a host function: so many elements of a type.
struct HostFunctionArgument {
  /// Makes a description.
  HostFunctionArgument(const Type &type, std::size_t elements)
      : elementType(type), numElements(elements) {}
  /// The type of the elements.
  Type elementType;
  /// The number of elements of one replica and one call.
  std::size_t numElements;
};

/// Names a function of the host program that programs on the device call: Graph::addHostFunction()
/// makes it, program::Call calls it, Engine::connectHostFunction() connects the code.
class HostFunction {
public:
  /// Makes an empty name, which may only be assigned to.
  HostFunction() = default;
  /// Returns the name that it was added with.
  std::string handle() const { return handle_; }

private:
  friend class Graph;
  friend class program::Call;
  std::string handle_;
  std::vector<DataStream> inputs_, outputs_; ///< arguments travel as rows of streams
  std::vector<Tensor> nothing_;              ///< sent as the only "input" if there are no arguments
};

/// Implements a host function as an object: derive from this class, and connect a std::unique_ptr.
class HostCallback {
public:
  /// Destroys the object; the engine does so after its last call.
  virtual ~HostCallback() = default;
  /// Computes \p outputs from \p inputs; both point to row-major data of one replica and one call.
  virtual void operator()(ArrayRef<const void *> inputs, ArrayRef<void *> outputs) = 0;
};

/// Holds what a host function does: code that gets pointers to inputs and outputs. Data is
/// row-major; an element has Target::getTypeSize() bytes. Made from anything that can be called as
/// `f(ArrayRef<const void *>, ArrayRef<void *>)` or as `f(inputs, numInputs, outputs, numOutputs)`,
/// or from a std::unique_ptr of a HostCallback. An exception of the code ends the run, which passes
/// it on.
class HostCallbackHandle {
public:
  /// The form in which the code is called.
  using Callback = std::function<void(ArrayRef<const void *>, ArrayRef<void *>)>;
  /// The other form, with pointers and sizes.
  using PointerCallback =
      std::function<void(const void *const *, std::size_t, void *const *, std::size_t)>;

  ///@{

  /// Holds a callable, or takes over an object.
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
  ///@}

  /// Returns the code.
  const Callback &get() const { return callback_; }

private:
  Callback callback_;
};

} // namespace poplar
