#include "options.hpp"

#include <map>
#include <poputil/OptionParsing.hpp>
#include <string>

namespace poplin {
namespace {

using poplibs::OptionHandler;

/// Checks that a value is one of a few words, and forgets it.
OptionHandler checked(const std::map<std::string, int> &words) {
  return OptionHandler([words](poplar::StringRef text) {
    int ignored = 0;
    OptionHandler::createWithEnum(ignored, words).parseValue(text);
  });
}
OptionHandler flag() { return checked({{"true", 0}, {"false", 0}}); }
OptionHandler number() {
  return OptionHandler([](poplar::StringRef text) {
    unsigned ignored = 0;
    OptionHandler::createWithInteger(ignored).parseValue(text);
  });
}
OptionHandler anything() {
  return OptionHandler([](poplar::StringRef) {});
}
OptionHandler type(poplar::Type &output) {
  return OptionHandler::createWithEnum(
      output,
      std::map<std::string, poplar::Type>{{"half", poplar::HALF}, {"float", poplar::FLOAT}});
}
OptionHandler checkedType() { return checked({{"half", 0}, {"float", 0}}); }
OptionHandler proportion(double &output) {
  return OptionHandler([&output](poplar::StringRef text) {
    double value = 0;
    OptionHandler::createWithDouble(value).parseValue(text);
    if (!(value >= 0 && value <= 1))
      throw poplar::invalid_option("Not a number from 0 to 1");
    output = value;
  });
}

plan::Demands fitted(plan::Demands demands, const poplar::Type &inputType,
                     const poplar::Type &outputType) {
  if (inputType == poplar::FLOAT || outputType == poplar::FLOAT)
    demands.partialType = poplar::FLOAT;
  return demands;
}

} // namespace

plan::Demands convolutionDemands(const poplar::OptionFlags &options, const poplar::Type &inputType,
                                 const poplar::Type &outputType) {
  plan::Demands demands;
  const poplibs::OptionSpec spec("convolution", {
                                                    {"partialsType", type(demands.partialType)},
                                                    {"partialsType.interTile", checkedType()},
                                                    {"partialsType.interIPU", checkedType()},
                                                    {"availableMemoryProportion",
                                                     proportion(demands.availableMemoryProportion)},
                                                    {"pass", checked({{"NONE", 0},
                                                                      {"NONE_MATMUL", 0},
                                                                      {"INFERENCE_FWD", 0},
                                                                      {"TRAINING_FWD", 0},
                                                                      {"TRAINING_BWD", 0},
                                                                      {"TRAINING_WU", 0},
                                                                      {"FC_INFERENCE_FWD", 0},
                                                                      {"FC_TRAINING_FWD", 0},
                                                                      {"FC_TRAINING_BWD", 0},
                                                                      {"FC_TRAINING_WU", 0}})},
                                                    {"use128BitConvUnitLoad", flag()},
                                                    {"planConstraints", anything()},
                                                    {"planConstraintsOutputFilename", anything()},
                                                    {"enableAmpHalfEnginesPlan", flag()},
                                                    {"enableMultiStageReduce", flag()},
                                                    {"enableFastReduce", flag()},
                                                    {"remapOutputTensor", flag()},
                                                    {"enableConvDithering", flag()},
                                                    {"disableTransformations", flag()},
                                                    {"insertTransformsCycleCountProgs", flag()},
                                                    {"enableTransformsConvTable", flag()},
                                                    {"gatherConvOutput", flag()},
                                                    // Options of other releases:
                                                    {"numIPUs", number()},
                                                    {"tilesPerIPU", number()},
                                                    {"useAggressiveRegrouping", flag()},
                                                });
  spec.parse(options);
  return fitted(demands, inputType, outputType);
}

plan::Demands matMulDemands(const poplar::OptionFlags &options, const poplar::Type &inputType,
                            const poplar::Type &outputType) {
  plan::Demands demands;
  const poplibs::OptionSpec spec(
      "matMul", {
                    {"partialsType", type(demands.partialType)},
                    {"availableMemoryProportion", proportion(demands.availableMemoryProportion)},
                    {"fullyConnectedPass", checked({{"NONE", 0},
                                                    {"INFERENCE_FWD", 0},
                                                    {"TRAINING_FWD", 0},
                                                    {"TRAINING_BWD", 0},
                                                    {"TRAINING_WU", 0}})},
                    {"inputRHSIsPreArranged", flag()},
                    {"use128BitConvUnitLoad", flag()},
                    {"enableMultiStageReduce", flag()},
                    {"enableFastReduce", flag()},
                    {"remapOutputTensor", flag()},
                    {"planConstraints", anything()},
                    {"gatherOutput", flag()},
                });
  spec.parse(options);
  return fitted(demands, inputType, outputType);
}

} // namespace poplin
