// copse-onnx: runs an ONNX model on emulated IPUs. `copse onnx` starts this program.
#include "errors.hpp"
#include "npy.hpp"
#include "random_input.hpp"
#include "session.hpp"

#include "wire/printable.hpp"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <charconv>
#include <cstdio>
#include <filesystem>

namespace {

using namespace copse::onnx;

/// Returns the seed of "random" or "random:SEED".
std::optional<std::uint64_t> seedOf(const std::string &source) {
  if (source == "random")
    return 0;
  const std::string prefix = "random:";
  if (source.compare(0, prefix.size(), prefix) != 0)
    return std::nullopt;
  std::uint64_t seed = 0;
  const char *const end = source.data() + source.size();
  const auto [next, error] = std::from_chars(source.data() + prefix.size(), end, seed);
  if (error != std::errc{} || next != end)
    throw ModelError("--input: '" + source + "' has no seed; give " + prefix + "NUMBER");
  return seed;
}

/// Adds the input of an argument NAME=FILE.npy or NAME=random[:SEED].
void addInput(const std::string &text, const Model &model, Request &request) {
  const std::size_t at = text.find('=');
  if (at == std::string::npos || at == 0)
    throw ModelError("--input " + text + ": give NAME=FILE.npy or NAME=random[:SEED]");
  const std::string name = text.substr(0, at), source = text.substr(at + 1);
  const auto input = std::find_if(model.inputs.begin(), model.inputs.end(),
                                  [&](const ModelInput &i) { return i.name == name; });
  if (input == model.inputs.end())
    throw ModelError("--input " + text + ": the model has no input '" + name + "'");
  const auto seed = seedOf(source);
  request.inputs[name] = seed ? randomInput(*input, request.replicas, *seed) : readNpy(source);
}

/// Replaces characters that separate folders, so that a name cannot form a path.
std::string fileName(std::string name) {
  for (char &character : name)
    if (character == '/')
      character = '_';
  return name + ".npy";
}

void writeOutputs(const Outcome &outcome, const std::string &folder) {
  std::filesystem::create_directories(folder);
  for (const auto &[name, tensor] : outcome.outputs)
    writeNpy(folder + "/" + fileName(name), tensor);
}

void report(const Outcome &outcome) {
  for (const auto &[name, tensor] : outcome.outputs)
    std::printf("output             %s: %s %s\n", name.c_str(), nameOf(tensor.type).c_str(),
                textOf(tensor.shape).c_str());
  const auto batches = static_cast<double>(outcome.batches);
  std::printf("modelled latency   %llu cycles, %.2f us for a batch, without its transfers\n",
              static_cast<unsigned long long>(outcome.stepCycles),
              static_cast<double>(outcome.stepCycles) / outcome.clock * 1e6);
  if (outcome.cycles > 0)
    std::printf("modelled rate      %.1f batches/s (%.0f batches in %llu cycles)\n",
                batches * outcome.clock / static_cast<double>(outcome.cycles), batches,
                static_cast<unsigned long long>(outcome.cycles));
  std::printf("wall-clock         %.3f s for %.0f batches\n", outcome.runSeconds, batches);
  std::fputs(outcome.profile.c_str(), stdout);
}

} // namespace

int main(int argc, char **argv) {
  CLI::App app{"Runs an ONNX model on emulated IPUs.", "copse onnx"};
  std::string path, folder;
  std::vector<std::string> inputs;
  Request request;
  app.add_option("model", path, "the .onnx file")->required();
  app.add_option("--device", request.device, "ipu, ipumodel or cpu")
      ->check(CLI::IsMember({"ipu", "ipumodel", "cpu"}))
      ->capture_default_str();
  app.add_option("--replicas", request.replicas, "number of replicas, which share the batches")
      ->check(CLI::Range(1, 64))
      ->capture_default_str();
  app.add_option("--ipus-per-replica", request.ipusPerReplica,
                 "number of IPUs of each replica, which share the layers")
      ->check(CLI::Range(1, 64))
      ->capture_default_str();
  app.add_option("--tiles-per-ipu", request.tilesPerIpu, "number of tiles of an IPU of an ipumodel")
      ->check(CLI::Range(1, 1472));
  app.add_option("--input", inputs,
                 "NAME=FILE.npy or NAME=random[:SEED], for each input of the model")
      ->take_all();
  app.add_option("--output", folder, "folder for the outputs, a .npy file each");
  app.add_flag("--profile", request.profile, "print a summary of the profile");
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError &error) {
    return app.exit(error) == 0 ? 0 : 2;
  }
  try {
    if (request.tilesPerIpu > 0 && request.device != "ipumodel")
      throw ModelError(
          "--tiles-per-ipu needs --device ipumodel: other devices have tiles of their own");
    const Model model = readModel(path);
    for (const std::string &input : inputs)
      addInput(input, model, request);
    const Outcome outcome = runModel(model, request);
    if (!folder.empty())
      writeOutputs(outcome, folder);
    report(outcome);
  } catch (const ModelError &error) {
    std::fprintf(stderr, "copse onnx: %s\n", copse::wire::printableText(error.what()).c_str());
    return 2;
  } catch (const std::exception &error) {
    std::fprintf(stderr, "copse onnx: %s\n", copse::wire::printableText(error.what()).c_str());
    return 1;
  }
  return 0;
}
