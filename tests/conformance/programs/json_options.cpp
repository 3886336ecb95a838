// Options from text: engine options in JSON, report options, options of several SDKs.
#include "check.hpp"

#include <iostream>
#include <poplar/Engine.hpp>
#include <poplar/IPUModel.hpp>
#include <poplar/OptionFlags.hpp>
#include <sstream>

using namespace poplar;

int main() {
  OptionFlags engineOptions;
  readJSON(R"({"debug.instrument": "true", "debug.computeInstrumentationLevel": "tile",
               "target.hostSyncTimeout": 60, "debug.allowOutOfMemory": false})",
           engineOptions);
  std::istringstream file("{\"debug.retainDebugInformation\": \"true\"}");
  readJSON(file, engineOptions);
  engineOptions.set("opt.internalExchangeOptimisationTarget", "balanced");
  engineOptions.set({{"debug.outputAllSymbols", "true"},
                     {"debug.verify", "false"},
                     {"exchange.streamBufferOverlap", "any"}});
  std::cout << engineOptions << std::endl;
  unsigned n = 0;
  for (auto &option : engineOptions)
    n += !option.first.empty() && !option.second.empty();
  if (n != 9 || engineOptions.at("target.hostSyncTimeout") != "60")
    return check::failed("options that were set");

  auto device = IPUModel().createDevice();
  Graph graph(device);
  Tensor t = graph.addVariable(UNSIGNED_CHAR, {2, 2}, VariableMappingMethod::LINEAR);
  graph.createHostWrite("t", t.transpose());
  graph.createHostRead("t", t);
  Engine engine(graph, program::Sequence(), engineOptions);
  engine.load(device);
  std::vector<unsigned char> values = {1, 2, 3, 4}, back(4);
  engine.writeTensor("t", values.data(), values.data() + 4);
  engine.run();
  engine.readTensor("t", back.data(), back.data() + 4);

  int wrong = check::differences("transposed", back, {1, 3, 2, 4});
  try {
    Engine bad(graph, program::Sequence(), {{"debug.instument", "true"}});
    wrong += check::failed("an option of no SDK was taken");
  } catch (const invalid_option &e) {
    std::cout << e.what() << "\n";
  }
  try {
    readJSON("{\"a\": ", engineOptions);
    wrong += check::failed("half a JSON text was taken");
  } catch (const poplar_error &) {
  }
  return wrong;
}
