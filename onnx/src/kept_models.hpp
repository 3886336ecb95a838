#pragma once

#include "compiled_model.hpp"

#include "disk_cache/file_cache.hpp"

#include <iosfwd>
#include <optional>

namespace copse::onnx {

/// Compiled models of earlier runs, on disk: by the model's file, the request, the device, the environment that options
/// come from, and the builds of all libraries of this process.
class KeptModels {
public:
  KeptModels(const Model &model, const Request &request, const Batches &batches,
             const poplar::Target &target);

  /// \returns nothing if there is none, or it depends on other elements of inputs than the request's
  std::optional<CompiledModel> find() const;
  void keep(const CompiledModel &compiled) const;

private:
  const Request &request_;
  disk_cache::FileCache files_{"models"};
  std::string name_;
};

/// The bytes of an entry: all of \p compiled, and the elements of the inputs that it depends on.
/// \param inputs  of the request
void writeCompiled(const CompiledModel &compiled, const std::map<std::string, HostTensor> &inputs,
                   std::ostream &out);
/// \returns nothing if the elements of \p inputs are others
/// \throws any exception if the bytes make no sense
std::optional<CompiledModel> readCompiled(std::istream &in,
                                          const std::map<std::string, HostTensor> &inputs);

} // namespace copse::onnx
