#include "npy.hpp"

#include "errors.hpp"

#include "wire/readable_file.hpp"

#include <algorithm>
#include <charconv>
#include <cstring>
#include <fstream>
#include <iterator>

namespace copse::onnx {
namespace {

struct DescriptionOfType {
  const char *text;
  ElementType type;
};
constexpr DescriptionOfType kDescriptions[] = {
    {"f4", ElementType::Float},  {"f2", ElementType::Half},   {"f8", ElementType::Double},
    {"i1", ElementType::Int8},   {"i2", ElementType::Int16},  {"i4", ElementType::Int32},
    {"i8", ElementType::Int64},  {"u1", ElementType::UInt8},  {"u2", ElementType::UInt16},
    {"u4", ElementType::UInt32}, {"u8", ElementType::UInt64}, {"b1", ElementType::Bool},
};

/// Returns the text after a key of the header, which is a Python dictionary: {'descr': '<f4', ...}.
std::string valueOf(const std::string &header, const std::string &key, const std::string &path) {
  const std::size_t at = header.find("'" + key + "':");
  if (at == std::string::npos)
    throw ModelError(path + ": the header has no '" + key + "'");
  const std::size_t begin = header.find_first_not_of(' ', at + key.size() + 3);
  return begin == std::string::npos ? "" : header.substr(begin);
}

ElementType typeOf(const std::string &value, const std::string &path) {
  const std::string text = value.size() >= 5 ? value.substr(1, 3) : "";
  for (const DescriptionOfType &d : kDescriptions)
    if (!text.empty() && text.front() != '>' && text.substr(1) == d.text)
      return d.type;
  throw ModelError(path + ": elements of type " + value.substr(0, value.find(',')) +
                   " are not supported");
}

/// The most dimensions that an array of NumPy has. With more, which a header could declare, a
/// change of their order would take time in proportion to elements times dimensions.
constexpr std::size_t kMostDimensions = 64;

/// Parses a tuple of sizes, such as "(2, 3)" or "(4,)".
Shape shapeOf(const std::string &value, const std::string &path) {
  const std::size_t end = value.find(')');
  if (value.empty() || value.front() != '(' || end == std::string::npos)
    throw ModelError(path + ": the header's shape is no tuple");
  Shape shape;
  for (const char *at = value.data() + 1, *const stop = value.data() + end; at < stop;) {
    std::size_t size = 0;
    const auto [next, error] = std::from_chars(at, stop, size);
    if (error != std::errc{} || (next < stop && *next != ','))
      throw ModelError(path + ": the header's shape " + value.substr(0, end + 1) +
                       " is no tuple of sizes");
    if (shape.size() == kMostDimensions)
      throw ModelError(path + ": the header's shape has more than " +
                       std::to_string(kMostDimensions) + " dimensions");
    shape.push_back(size);
    at = std::find_if(next, stop, [](char c) { return c != ',' && c != ' '; });
  }
  return shape;
}

bool columnsFirst(const std::string &value, const std::string &path) {
  const bool columns = value.compare(0, 4, "True") == 0;
  if (!columns && value.compare(0, 5, "False") != 0)
    throw ModelError(path + ": the header's fortran_order is neither True nor False");
  return columns;
}

/// Converts elements from column-major to row-major order.
HostTensor rowMajor(const HostTensor &columns) {
  HostTensor rows = makeTensor(columns.type, columns.shape);
  Shape position(rows.shape.size());
  for (std::size_t i = 0; i < rows.elements(); ++i) {
    std::size_t from = 0;
    for (std::size_t d = position.size(); d-- > 0;)
      from = from * rows.shape[d] + position[d];
    if (isReal(rows.type))
      rows.reals[i] = columns.reals[from];
    else
      rows.integers[i] = columns.integers[from];
    for (std::size_t d = position.size(); d-- > 0 && ++position[d] == rows.shape[d];)
      position[d] = 0;
  }
  return rows;
}

} // namespace

HostTensor readNpy(const std::string &path) {
  if (const std::string why = wire::whyUnreadable(path); !why.empty())
    throw ModelError(path + ": cannot be opened: " + why);
  std::ifstream file(path, std::ios::binary);
  return parseNpy({std::istreambuf_iterator<char>(file), {}}, path);
}

HostTensor parseNpy(const std::string &bytes, const std::string &path) {
  if (bytes.size() < 12 || bytes.compare(0, 6, "\x93NUMPY", 6) != 0)
    throw ModelError(path + ": is no .npy file");
  if (bytes[6] < 1 || bytes[6] > 3)
    throw ModelError(path + ": has version " + std::to_string(bytes[6]) + " of the .npy format");
  const std::size_t sizeBytes = bytes[6] == 1 ? 2 : 4;
  std::size_t length = 0;
  std::memcpy(&length, bytes.data() + 8, sizeBytes);
  const std::size_t data = 8 + sizeBytes + length;
  if (data > bytes.size())
    throw ModelError(path + ": ends within its header");
  const std::string header = bytes.substr(8 + sizeBytes, length);
  HostTensor tensor;
  tensor.type = typeOf(valueOf(header, "descr", path), path);
  tensor.shape = shapeOf(valueOf(header, "shape", path), path);
  const std::size_t width = widthOf(tensor.type), rest = bytes.size() - data;
  if (rest % width != 0 || rest / width != tensor.elements())
    throw ModelError(path + ": has " + std::to_string(rest) + " bytes of data for shape " +
                     textOf(tensor.shape));
  decodeElements(bytes.data() + data, tensor);
  return columnsFirst(valueOf(header, "fortran_order", path), path) ? rowMajor(tensor) : tensor;
}

void writeNpy(const std::string &path, const HostTensor &tensor) {
  std::string header = "{'descr': '";
  for (const DescriptionOfType &d : kDescriptions)
    if (d.type == tensor.type)
      header += std::string(widthOf(tensor.type) == 1 ? "|" : "<") + d.text;
  header += "', 'fortran_order': False, 'shape': (";
  for (const std::size_t size : tensor.shape)
    header += std::to_string(size) + ",";
  header += "), }";
  constexpr std::size_t kPrefix = 10, kAlignment = 64; // NumPy aligns the data
  header += std::string(kAlignment - (kPrefix + header.size() + 1) % kAlignment, ' ') + "\n";
  const auto length = static_cast<std::uint16_t>(header.size());
  std::ofstream file(path, std::ios::binary);
  file.write("\x93NUMPY\x01\x00", 8);
  file.write(reinterpret_cast<const char *>(&length), sizeof length);
  file << header;
  const std::vector<char> bytes = encodeElements(tensor);
  file.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  if (!file.flush())
    throw ModelError(path + ": cannot be written");
}

} // namespace copse::onnx
