#include "recurrent_options.hpp"

#include <poputil/OptionParsing.hpp>
#include <string>

namespace popnn {
namespace rnn {

RecurrentOptions::RecurrentOptions(const poplar::OptionFlags &flags, bool inferenceOnlyByDefault)
    : inferenceOnly(inferenceOnlyByDefault) {
  using poplibs::OptionHandler;
  bool ignored = false;
  unsigned number = 0;
  double share = 0;
  std::string word;
  const std::map<std::string, std::string> types = {{"half", "half"}, {"float", "float"}};
  const auto product = [this](const char *option) {
    return OptionHandler(
        [this, option](poplar::StringRef value) { ofProducts.set(option, value); });
  };
  poplibs::OptionSpec(
      "recurrent layer",
      {{"inferenceOnly", OptionHandler::createWithBool(inferenceOnly)},
       {"recomputationMode",
        OptionHandler::createWithEnum(recomputation, {{"none", Recomputation::None},
                                                      {"cellAndTanh", Recomputation::CellAndTanh},
                                                      {"full", Recomputation::Full}})},
       {"partialsType", product("partialsType")},
       {"availableMemoryProportion", product("availableMemoryProportion")},
       {"weightAccumulatorsType", OptionHandler::createWithEnum(word, types)},
       {"preCalcWeights", OptionHandler::createWithBool(ignored)},
       {"numShards", OptionHandler::createWithInteger(number)},
       {"rnnCodeReuse", OptionHandler::createWithBool(ignored)},
       {"rnnStepsPerWU", OptionHandler::createWithInteger(number)},
       {"weightUpdateMemoryProportion", OptionHandler::createWithDouble(share)},
       {"disableWUPartialInterleaving", OptionHandler::createWithBool(ignored)}})
      .parse(flags);
}

} // namespace rnn
} // namespace popnn
