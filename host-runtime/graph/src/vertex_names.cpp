#include "vertex_names.hpp"

#include "poplar/exceptions.hpp"
#include "types/nearest_name.hpp"

#include <algorithm>
#include <cctype>
#include <string_view>
#include <vector>

namespace copse::graph {
namespace {

/// Returns a hint that lists codelets which may be meant instead.
std::string whatThereIs(const std::string &wanted, const Model &model) {
  std::vector<std::string_view> known;
  for (const auto &type : model.vertexTypes) {
    known.emplace_back(type.name);
  }
  return known.empty() ? "; call addCodelets before addVertex"
                       : types::suggestionOrList(wanted, known);
}

bool isWord(char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_'; }

} // namespace

std::string normalisedVertexName(poplar::StringRef name) {
  std::string out;
  for (std::size_t i = 0; i < name.size(); ++i) {
    const char c = name[i];
    if (c != ' ') {
      out += c;
      continue;
    }
    // A blank matters only between two words: "unsigned int".
    std::size_t next = i + 1;
    while (next < name.size() && name[next] == ' ') {
      ++next;
    }
    if (!out.empty() && isWord(out.back()) && next < name.size() && isWord(name[next])) {
      out += ' ';
    }
    i = next - 1;
  }
  return out;
}

std::uint32_t vertexTypeIndex(const Model &model, poplar::StringRef name) {
  // Most programs use the normalised name.
  const auto asWritten = model.vertexTypeByName.find(std::string(name));
  if (asWritten != model.vertexTypeByName.end()) {
    return asWritten->second;
  }
  const std::string wanted = normalisedVertexName(name);
  const auto it = model.vertexTypeByName.find(wanted);
  if (it != model.vertexTypeByName.end()) {
    return it->second;
  }
  // Another instantiation of the template is the likeliest mistake.
  const std::string base = wanted.substr(0, wanted.find('<'));
  std::vector<std::string> similar;
  for (const auto &known : model.vertexTypes) {
    if (known.name.substr(0, known.name.find('<')) == base) {
      similar.push_back(known.name);
    }
  }
  std::string text = "no codelet '" + wanted + "' was added to the graph";
  for (std::size_t i = 0; i < std::min<std::size_t>(similar.size(), 8); ++i) {
    text += (i == 0 ? "; there is '" : "', '") + similar[i];
  }
  throw poplar::unknown_vertex_type(text + (similar.empty() ? whatThereIs(wanted, model) : "'"));
}

const popc::Field &fieldOf(const Model &model, poplar::StringRef vertexType,
                           poplar::StringRef field) {
  const popc::VertexType &type = model.vertexTypes[vertexTypeIndex(model, vertexType)];
  for (const popc::Field &f : type.fields) {
    if (poplar::StringRef(f.name) == field) {
      return f;
    }
  }
  throw poplar::unknown_field("vertex type '" + type.name + "' has no field '" +
                              std::string(field) + "'");
}

} // namespace copse::graph
