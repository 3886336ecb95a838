// Reads elements of tensors that are kept in files next to the model, for example in models of more
// than 2 GB.
#include "external_data.hpp"

#include "errors.hpp"

#include "disk_cache/digest.hpp"

#include <charconv>
#include <filesystem>
#include <fstream>
#include <optional>
#include <vector>

namespace copse::onnx {
namespace {

namespace fs = std::filesystem;

[[noreturn]] void fail(const ::onnx::TensorProto &tensor, const std::string &why) {
  throw ModelError("tensor '" + tensor.name() + "' in a file of its own: " + why);
}

/// The place of a tensor's bytes.
struct Place {
  std::string location;
  std::uint64_t offset = 0;            // [bytes]
  std::optional<std::uint64_t> length; // [bytes]; nothing: to the end of the file
};

std::uint64_t number(const ::onnx::TensorProto &tensor, const std::string &text) {
  std::uint64_t value = 0;
  const char *const end = text.data() + text.size();
  const auto [next, error] = std::from_chars(text.data(), end, value);
  if (error != std::errc{} || next != end)
    fail(tensor, "'" + text + "' is no number of bytes");
  return value;
}

Place placeOf(const ::onnx::TensorProto &tensor) {
  Place place;
  for (const auto &entry : tensor.external_data()) {
    if (entry.key() == "location")
      place.location = entry.value();
    else if (entry.key() == "offset")
      place.offset = number(tensor, entry.value());
    else if (entry.key() == "length")
      place.length = number(tensor, entry.value());
    else if (entry.key() != "checksum") // the only other key in ONNX
      fail(tensor, "key '" + entry.key() + "' is not supported");
  }
  const fs::path path = fs::path(place.location).lexically_normal();
  if (path.empty() || path.is_absolute() || *path.begin() == "..")
    fail(tensor, "location '" + place.location + "' is no file in the model's folder");
  return place;
}

class Reader {
public:
  explicit Reader(const std::string &path) : folder_(fs::path(path).parent_path()) {}

  void read(::onnx::GraphProto &graph) {
    for (auto &tensor : *graph.mutable_initializer())
      read(tensor);
    for (auto &node : *graph.mutable_node())
      for (auto &attribute : *node.mutable_attribute()) {
        if (attribute.has_t())
          read(*attribute.mutable_t());
        if (attribute.has_g())
          read(*attribute.mutable_g());
      }
  }

  std::string digest() const { return digests_.empty() ? "" : disk_cache::sha256(digests_); }

private:
  void read(::onnx::TensorProto &tensor) {
    if (tensor.data_location() != ::onnx::TensorProto::EXTERNAL)
      return;
    const Place place = placeOf(tensor);
    const fs::path path = folder_ / place.location;
    std::ifstream file(path, std::ios::binary | std::ios::ate);
    if (!file)
      fail(tensor, path.string() + " cannot be opened");
    const auto size = static_cast<std::uint64_t>(file.tellg());
    if (place.offset > size || place.length.value_or(0) > size - place.offset)
      fail(tensor, path.string() + " has only " + std::to_string(size) + " bytes");
    std::string bytes(place.length.value_or(size - place.offset), '\0');
    file.seekg(static_cast<std::streamoff>(place.offset));
    if (!file.read(bytes.data(), static_cast<std::streamsize>(bytes.size())))
      fail(tensor, path.string() + " cannot be read");
    digests_.push_back(disk_cache::sha256(bytes));
    tensor.set_raw_data(std::move(bytes));
    tensor.clear_external_data();
    tensor.set_data_location(::onnx::TensorProto::DEFAULT);
  }

  fs::path folder_;
  std::vector<std::string> digests_;
};

} // namespace

std::string readExternalData(::onnx::ModelProto &model, const std::string &path) {
  Reader reader(path);
  reader.read(*model.mutable_graph());
  return reader.digest();
}

} // namespace copse::onnx
