#include "options.hpp"

#include <poplar/exceptions.hpp>

#include <cstdlib>
#include <map>
#include <string>
#include <vector>

namespace poplin {
namespace {

enum class Kind { Flag, Type, Proportion, Number, Text, Choice };
struct Option {
  Kind kind;
  std::vector<std::string> choices;
};
using Table = std::map<std::string, Option>;

const Table kMatMul{
    {"partialsType", {Kind::Type, {}}},
    {"availableMemoryProportion", {Kind::Proportion, {}}},
    {"fullyConnectedPass",
     {Kind::Choice, {"NONE", "INFERENCE_FWD", "TRAINING_FWD", "TRAINING_BWD", "TRAINING_WU"}}},
    {"inputRHSIsPreArranged", {Kind::Flag, {}}},
    {"use128BitConvUnitLoad", {Kind::Flag, {}}},
    {"enableMultiStageReduce", {Kind::Flag, {}}},
    {"enableFastReduce", {Kind::Flag, {}}},
    {"remapOutputTensor", {Kind::Flag, {}}},
    {"planConstraints", {Kind::Text, {}}},
    {"gatherOutput", {Kind::Flag, {}}},
};

const Table kConvolution{
    {"partialsType", {Kind::Type, {}}},
    {"partialsType.interTile", {Kind::Type, {}}},
    {"partialsType.interIPU", {Kind::Type, {}}},
    {"availableMemoryProportion", {Kind::Proportion, {}}},
    {"pass",
     {Kind::Choice,
      {"NONE", "NONE_MATMUL", "INFERENCE_FWD", "TRAINING_FWD", "TRAINING_BWD", "TRAINING_WU",
       "FC_INFERENCE_FWD", "FC_TRAINING_FWD", "FC_TRAINING_BWD", "FC_TRAINING_WU"}}},
    {"use128BitConvUnitLoad", {Kind::Flag, {}}},
    {"planConstraints", {Kind::Text, {}}},
    {"planConstraintsOutputFilename", {Kind::Text, {}}},
    {"enableAmpHalfEnginesPlan", {Kind::Flag, {}}},
    {"enableMultiStageReduce", {Kind::Flag, {}}},
    {"enableFastReduce", {Kind::Flag, {}}},
    {"remapOutputTensor", {Kind::Flag, {}}},
    {"enableConvDithering", {Kind::Flag, {}}},
    {"disableTransformations", {Kind::Flag, {}}},
    {"insertTransformsCycleCountProgs", {Kind::Flag, {}}},
    {"enableTransformsConvTable", {Kind::Flag, {}}},
    {"gatherConvOutput", {Kind::Flag, {}}},
    // Of other releases.
    {"numIPUs", {Kind::Number, {}}},
    {"tilesPerIPU", {Kind::Number, {}}},
    {"useAggressiveRegrouping", {Kind::Flag, {}}},
};

bool isProportion(const std::string &text) {
  char *end = nullptr;
  const double value = std::strtod(text.c_str(), &end);
  return !text.empty() && *end == 0 && value >= 0 && value <= 1;
}
bool isNumber(const std::string &text) {
  char *end = nullptr;
  std::strtoul(text.c_str(), &end, 0);
  return !text.empty() && *end == 0;
}

/// Why a value does not fit; empty if it does.
std::string objection(const Option &option, const std::string &value) {
  const auto oneOf = [&](const std::vector<std::string> &choices) {
    std::string text = "is not one of ";
    for (const std::string &choice : choices) {
      if (choice == value)
        return std::string();
      text += (&choice == &choices.front() ? "" : ", ") + choice;
    }
    return text;
  };
  switch (option.kind) {
  case Kind::Flag: return oneOf({"true", "false"});
  case Kind::Type: return oneOf({"half", "float"});
  case Kind::Choice: return oneOf(option.choices);
  case Kind::Proportion: return isProportion(value) ? "" : "is not a number from 0 to 1";
  case Kind::Number: return isNumber(value) ? "" : "is not a whole number";
  case Kind::Text: break;
  }
  return "";
}

plan::Demands demandsOf(const Table &table, const poplar::OptionFlags &options,
                        const poplar::Type &inputType, const poplar::Type &outputType) {
  plan::Demands demands;
  for (const auto &entry : options) {
    const std::string key = entry.first, value = entry.second;
    const auto option = table.find(key);
    if (option == table.end())
      throw poplar::invalid_option("Unrecognised option '" + key + "'");
    const std::string why = objection(option->second, value);
    if (!why.empty())
      throw poplar::invalid_option("Invalid value '" + value + "' for option '" + key +
                                   "': " + why);
    if (key == "partialsType")
      demands.partialType = value == "half" ? poplar::HALF : poplar::FLOAT;
    if (key == "availableMemoryProportion")
      demands.availableMemoryProportion = std::strtod(value.c_str(), nullptr);
  }
  if (inputType == poplar::FLOAT || outputType == poplar::FLOAT)
    demands.partialType = poplar::FLOAT;
  return demands;
}

} // namespace

plan::Demands convolutionDemands(const poplar::OptionFlags &options,
                                 const poplar::Type &inputType,
                                 const poplar::Type &outputType) {
  return demandsOf(kConvolution, options, inputType, outputType);
}

plan::Demands matMulDemands(const poplar::OptionFlags &options, const poplar::Type &inputType,
                            const poplar::Type &outputType) {
  return demandsOf(kMatMul, options, inputType, outputType);
}

} // namespace poplin
