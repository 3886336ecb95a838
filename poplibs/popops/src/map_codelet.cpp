#include "map_codelet.hpp"

#include "element_functions_text.hpp"
#include "tile_work/worker_cycles.hpp"
#include "type_name.hpp"

#include <algorithm>
#include <cstdio>

namespace copse::element_expr {
namespace {

constexpr unsigned kVectorBytes = 8;
constexpr std::size_t kReadablePart = 48; // characters of a class's name that show its expression

std::string fieldOf(unsigned operand) { return "in" + std::to_string(operand + 1); }

/// Returns the expression with x1, x2, ... for its operands.
std::string codeOf(const TypedNode &node) {
  switch (node.kind) {
  case TypedNode::Kind::Operand:
    return "x" + std::to_string(node.operand + 1);
  case TypedNode::Kind::Constant:
    return node.literal;
  case TypedNode::Kind::Cast:
    return "elements::cast<" + nameOf(node.type) + ">(" + codeOf(node.arguments.front()) + ")";
  case TypedNode::Kind::Operation:
    break;
  }
  std::string arguments;
  for (const TypedNode &argument : node.arguments)
    arguments += (arguments.empty() ? "" : ", ") + codeOf(argument);
  return "elements::" + node.function + "(" + arguments + ")";
}

/// Appends a name such as `add_multiply_x1_x2_x3`, for readers of profiles.
void appendReadable(const TypedNode &node, std::string &name) {
  if (node.kind == TypedNode::Kind::Operation)
    name += "_" + node.function;
  else if (node.kind == TypedNode::Kind::Cast)
    name += "_cast";
  for (const TypedNode &argument : node.arguments)
    appendReadable(argument, name);
}

std::uint64_t fnv1a(const std::string &text) {
  std::uint64_t hash = 0xcbf29ce484222325u;
  for (const unsigned char c : text)
    hash = (hash ^ c) * 0x100000001b3u;
  return hash;
}

void countInstructions(const TypedNode &node, MapCodelet &codelet) {
  codelet.vectorInstructions += node.vector;
  codelet.scalarInstructions += node.scalar;
  codelet.operations += node.kind == TypedNode::Kind::Operation ? 1 : 0;
  for (const TypedNode &argument : node.arguments)
    countInstructions(argument, codelet);
}

std::string vectorOf(const poplar::Type &type, const char *layout) {
  return "poplar::Vector<" + nameOf(type) + ", poplar::VectorLayout::" + layout + ">";
}

} // namespace

poplar::VertexPerfEstimate MapCodelet::estimate(const poplar::Target &target,
                                                std::uint64_t elements) const {
  const std::uint64_t perVector =
      std::max<std::uint64_t>(1, kVectorBytes / target.getTypeSize(written));
  const std::uint64_t share = tile_work::largestWorkerShare(target, elements, perVector);
  const std::uint64_t vectors = (share + perVector - 1) / perVector;
  // A worker issues an arithmetic instruction beside one that loads two operands, or loads one and
  // stores.
  std::uint64_t bytes = target.getTypeSize(written);
  for (const poplar::Type &type : read)
    bytes += target.getTypeSize(type);
  const std::uint64_t moves = (bytes * perVector + 2 * kVectorBytes - 1) / (2 * kVectorBytes);
  const std::uint64_t arithmetic = vectorInstructions + scalarInstructions * perVector;
  return {tile_work::workerCycles(target,
                                  tile_work::kVertexInstructions +
                                      vectors * std::max({moves, arithmetic, std::uint64_t{1}})),
          operations * elements};
}

MapCodelet mapCodelet(const TypedNode &expression, const std::vector<poplar::Type> &types,
                      const std::vector<Access> &accesses, bool inPlace) {
  MapCodelet codelet;
  codelet.written = expression.type;
  std::string fields, locals, loads;
  for (unsigned i = 0; i != types.size(); ++i) {
    if (accesses[i] == Access::Unused)
      continue;
    const std::string x = "x" + std::to_string(i + 1), type = nameOf(types[i]);
    if (accesses[i] == Access::Single) {
      fields += "  poplar::Input<" + type + "> " + fieldOf(i) + ";\n";
      locals += "    const " + type + " " + x + " = *" + fieldOf(i) + ";\n";
      continue;
    }
    codelet.read.push_back(types[i]);
    if (inPlace && i == 0) {
      loads += "      const " + type + " x1 = to[i];\n";
      continue;
    }
    fields += "  poplar::Input<" + vectorOf(types[i], "ONE_PTR") + "> " + fieldOf(i) + ";\n";
    locals += "    const " + type + " *const __restrict__ from" + std::to_string(i + 1) + " = " +
              fieldOf(i) + ".data();\n";
    loads += "      const " + type + " " + x + " = from" + std::to_string(i + 1) + "[i];\n";
  }
  countInstructions(expression, codelet);

  const std::string result = nameOf(codelet.written);
  std::string body = " : public poplar::MultiVertex {\npublic:\n" + fields;
  body += std::string("  poplar::") + (inPlace ? "InOut<" : "Output<") +
          vectorOf(codelet.written, "SPAN") + "> out;\n\n";
  body += "  bool compute(unsigned worker) {\n";
  body += "    const poplibs::WorkerPart part(out.size(), worker, numWorkers(), 8 / sizeof(" +
          result + "));\n" + locals;
  body += "    " + result + " *const __restrict__ to = out.data();\n";
  body += "    for (unsigned i = part.begin; i < part.end; ++i) {\n" + loads;
  body += "      to[i] = " + codeOf(expression) + ";\n    }\n    return true;\n  }\n};\n";

  std::string readable;
  appendReadable(expression, readable);
  readable = (readable.empty() ? "_copy" : readable.substr(0, kReadablePart)) + "_" + result;
  std::replace(readable.begin(), readable.end(), ' ', '_');
  char hash[20];
  std::snprintf(hash, sizeof hash, "_%016llx", static_cast<unsigned long long>(fnv1a(body)));
  const std::string className = "Map" + readable + hash;
  codelet.name = "popops::" + className;
  codelet.source = "class " + className + body;
  return codelet;
}

std::string sourceOf(const std::vector<MapCodelet> &codelets) {
  std::string source = kWorkerPartText;
  source += kElementFunctionsText;
  source += "namespace popops {\n";
  for (const MapCodelet &codelet : codelets)
    source += codelet.source;
  return source + "} // namespace popops\n";
}

} // namespace copse::element_expr
