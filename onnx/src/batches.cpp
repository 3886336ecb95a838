#include "batches.hpp"

#include "errors.hpp"

namespace copse::onnx {
namespace {

[[noreturn]] void refuse(const ModelInput &input, const HostTensor &given) {
  std::string wanted = "[";
  for (std::size_t d = 0; d < input.shape.size(); ++d)
    wanted += (d > 0 ? ", " : "") + (input.shape[d] ? std::to_string(*input.shape[d]) : "?");
  throw ModelError("input '" + input.name + "' is " + nameOf(given.type) + " " +
                   textOf(given.shape) + ", but the model takes " + nameOf(input.type) + " " +
                   wanted + "]");
}

/// \returns the number of batches; sets \p batch to the shape of one
std::size_t cut(const ModelInput &input, const HostTensor &given, unsigned replicas, Shape &batch) {
  if (given.type != input.type || given.shape.size() != input.shape.size())
    refuse(input, given);
  for (std::size_t d = 1; d < given.shape.size(); ++d)
    if (input.shape[d].value_or(given.shape[d]) != given.shape[d])
      refuse(input, given);
  batch = given.shape;
  if (batch.empty() || given.shape[0] == input.shape[0])
    return 1;
  if (!input.shape[0] && given.shape[0] == 0) // a batch without elements
    return 1;
  const std::size_t size = input.shape[0].value_or(given.shape[0] / replicas);
  if (size == 0 || given.shape[0] % size != 0)
    refuse(input, given);
  batch[0] = size;
  return given.shape[0] / size;
}

} // namespace

Batches cutIntoBatches(const Model &model, const Request &request) {
  Batches batches;
  std::size_t most = 1;
  std::map<std::string, std::size_t> counts;
  for (const ModelInput &input : model.inputs) {
    const auto given = request.inputs.find(input.name);
    if (given == request.inputs.end())
      throw ModelError("input '" + input.name + "' is missing; give it with --input " + input.name +
                       "=FILE.npy or --input " + input.name + "=random");
    counts[input.name] = cut(input, given->second, request.replicas, batches.shapes[input.name]);
    most = std::max(most, counts[input.name]);
  }
  for (const auto &[name, count] : counts)
    if (count != 1 && count != most)
      throw ModelError("input '" + name + "' has " + std::to_string(count) +
                       " batches, others have " + std::to_string(most));
  if (most > 1 && most % request.replicas != 0)
    throw ModelError(std::to_string(most) + " batches cannot be shared by " +
                     std::to_string(request.replicas) + " replicas");
  batches.steps = most > 1 ? most / request.replicas : 1;
  batches.count = most;
  return batches;
}

} // namespace copse::onnx
