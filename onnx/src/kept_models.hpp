#pragma once

#include "compiled_model.hpp"

#include "disk_cache/file_cache.hpp"

#include <iosfwd>
#include <optional>

namespace copse::onnx {

/// Keeps compiled models of earlier runs on disk. The key has the model's file, the request, the
/// device, the environment that has options, and the builds of all libraries of this process.
class KeptModels {
public:
  KeptModels(const Model &model, const Request &request, const Batches &batches,
             const poplar::Target &target);

  /// \returns nothing if there is no such model, or it depends on elements of inputs that differ
  ///   from the request's
  std::optional<CompiledModel> find() const;
  void keep(const CompiledModel &compiled) const;

private:
  const Request &request_;
  disk_cache::FileCache files_{"models"};
  std::string name_;
};

/// Writes an entry: all of \p compiled, and the elements of the inputs that it depends on.
/// \param inputs  the request's
void writeCompiled(const CompiledModel &compiled, const std::map<std::string, HostTensor> &inputs,
                   std::ostream &out);
/// Reads an entry.
/// \returns nothing if the elements of \p inputs differ
/// \throws any exception if the bytes are invalid
std::optional<CompiledModel> readCompiled(std::istream &in,
                                          const std::map<std::string, HostTensor> &inputs);

} // namespace copse::onnx
