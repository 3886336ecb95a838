#include "host_function_call.hpp"

#include <algorithm>
#include <utility>

namespace copse::engine {

HostFunctionCall::HostFunctionCall(poplar::HostCallbackHandle callback,
                                   const std::vector<std::size_t> &inputBytes,
                                   const std::vector<std::size_t> &outputBytes)
    : callback_(std::move(callback)) {
  for (const std::size_t bytes : inputBytes)
    inputs_.emplace_back(bytes);
  for (const std::size_t bytes : outputBytes)
    outputs_.emplace_back(bytes);
}

void HostFunctionCall::take(std::size_t input, const void *row) {
  std::copy_n(static_cast<const std::byte *>(row), inputs_[input].size(), inputs_[input].data());
  if (input + 1 == inputs_.size())
    call();
}

void HostFunctionCall::give(std::size_t output, void *row) {
  if (output == 0 && inputs_.empty())
    call();
  std::copy_n(outputs_[output].data(), outputs_[output].size(), static_cast<std::byte *>(row));
}

void HostFunctionCall::call() {
  std::vector<const void *> inputs;
  for (const auto &row : inputs_)
    inputs.push_back(row.data());
  std::vector<void *> outputs;
  for (auto &row : outputs_)
    outputs.push_back(row.data());
  callback_.get()(inputs, outputs);
}

} // namespace copse::engine
