#include "graph/serialization.hpp"

#include "graph/types.hpp"
#include "poplar/exceptions.hpp"
#include "types/nested_data.hpp"

#include <array>
#include <istream>
#include <iterator>
#include <limits>
#include <nlohmann/json.hpp>
#include <optional>
#include <ostream>
#include <unordered_map>

namespace copse::graph {

using nlohmann::json;
using poplar::SerializationFormat;

namespace {

constexpr const char *kTensors = "copse tensors 1";

[[noreturn]] void refuse(const std::string &why) {
  throw poplar::parse_error("Graph::deserializeTensors: these are no tensors that "
                            "Graph::serializeTensors wrote in this format: " +
                            why);
}

ElementType typeNamed(const std::string &name) {
  for (int i = 0; i < static_cast<int>(ElementType::Other); ++i)
    if (const auto type = static_cast<ElementType>(i); serializedName(type) == name)
      return type;
  refuse("there is no type '" + name + "'");
}

json parse(std::istream &in, SerializationFormat format) {
  return format == SerializationFormat::JSON ? types::parseJson(in) : types::parseCbor(in);
}

/// The limit for the elements of a variable.
constexpr std::uint64_t kMaxElements = std::numeric_limits<std::int64_t>::max() / 16;

std::uint64_t countFrom(const json &number) {
  const auto count = number.get<std::int64_t>();
  if (count < 0 || static_cast<std::uint64_t>(count) > kMaxElements)
    refuse(std::to_string(count) + " elements");
  return static_cast<std::uint64_t>(count);
}

std::uint64_t productOf(const std::vector<std::size_t> &shape) {
  std::uint64_t product = 1;
  for (const std::size_t size : shape)
    if (__builtin_mul_overflow(product, size, &product) || product > kMaxElements)
      refuse("a shape of too many elements");
  return product;
}

/// Returns true if also the last element of a run lies in the variable.
bool fits(const Run &run, std::uint64_t elements) {
  std::int64_t way = 0, last = 0;
  const bool overflow =
      __builtin_mul_overflow(static_cast<std::int64_t>(run.count - 1), run.stride, &way) ||
      __builtin_add_overflow(static_cast<std::int64_t>(run.begin), way, &last);
  return !overflow && run.begin < elements && last >= 0 &&
         static_cast<std::uint64_t>(last) < elements;
}

Run runFrom(const json &row, const TensorBundle &bundle, ElementType type) {
  const Run run{row.at(0).get<std::uint32_t>(), countFrom(row.at(1)), countFrom(row.at(2)),
                row.at(3).get<std::int64_t>()};
  if (run.variable >= bundle.variables.size())
    refuse("there is no variable " + std::to_string(run.variable));
  const auto &variable = bundle.variables[run.variable];
  if (variable.type != type)
    refuse("a tensor of " + serializedName(type) + " refers to a variable of " +
           serializedName(variable.type));
  if (run.count == 0 || !fits(run, variable.elements))
    refuse("a tensor has elements beyond variable '" + variable.name + "'");
  return run;
}

TensorBundle::BundledTensor tensorFrom(const json &entry, const TensorBundle &bundle) {
  TensorBundle::BundledTensor tensor;
  tensor.type = typeNamed(entry.at("type"));
  for (const json &size : entry.at("shape"))
    tensor.shape.push_back(countFrom(size));
  std::uint64_t elements = 0;
  for (const json &row : entry.at("runs")) {
    tensor.runs.push_back(runFrom(row, bundle, tensor.type));
    elements += tensor.runs.back().count;
    if (elements > kMaxElements)
      refuse("a tensor of too many elements");
  }
  if (elements != productOf(tensor.shape))
    refuse("a shape of another number of elements than there are");
  return tensor;
}

} // namespace

void write(const json &document, SerializationFormat format, std::ostream &out) {
  if (format == SerializationFormat::JSON)
    out << document.dump(1) << '\n';
  else
    json::to_cbor(document, nlohmann::detail::output_adapter<char>(out));
}

std::string serializedName(ElementType type) { return nameOf(type); }

json serializedRuns(std::span<const Run> runs) {
  json list = json::array();
  for (const Run &run : runs)
    list.push_back({run.variable, run.begin, run.count, run.stride});
  return list;
}

json serializedTensors(const Model &model, std::span<const TypedView> views) {
  json variables = json::array(), tensors = json::array();
  std::unordered_map<VariableId, VariableId> numbers;
  const auto numberOf = [&](VariableId id) {
    const auto [known, isNew] = numbers.try_emplace(id, static_cast<VariableId>(variables.size()));
    if (const Variable &variable = model.variables[id]; isNew)
      variables.push_back({{"name", variable.name},
                           {"type", serializedName(variable.type)},
                           {"elements", variable.elements}});
    return known->second;
  };
  for (const TypedView &view : views) {
    std::vector<Run> runs = view.view.runs();
    for (Run &run : runs)
      run.variable = numberOf(run.variable);
    tensors.push_back({{"type", serializedName(view.type)},
                       {"shape", view.view.shape()},
                       {"runs", serializedRuns(runs)}});
  }
  return {{"format", kTensors}, {"variables", std::move(variables)}, {"tensors", tensors}};
}

TensorBundle readTensors(std::istream &in, SerializationFormat format) {
  try {
    const json document = parse(in, format);
    if (document.at("format") != kTensors)
      refuse("their format is " + document.at("format").dump());
    TensorBundle bundle;
    for (const json &entry : document.at("variables")) {
      bundle.variables.push_back(
          {entry.at("name"), typeNamed(entry.at("type")), countFrom(entry.at("elements"))});
      if (bundle.variables.back().elements == 0)
        refuse("a variable without elements");
    }
    for (const json &entry : document.at("tensors"))
      bundle.tensors.push_back(tensorFrom(entry, bundle));
    return bundle;
  } catch (const json::exception &e) {
    refuse(e.what());
  }
}

} // namespace copse::graph
