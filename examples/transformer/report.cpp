#include "report.hpp"

#include <cmath>
#include <cstdio>
#include <fstream>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <unistd.h>

namespace transformer {

namespace {

void printBar(unsigned done, unsigned steps, double loss) {
  constexpr unsigned kWidth = 40;
  const std::size_t filled = std::size_t{kWidth} * done / steps;
  const std::string bar = std::string(filled, '#') + std::string(kWidth - filled, '.');
  std::printf("\r  [%s] step %u/%u  loss %.4f%s", bar.c_str(), done, steps, loss,
              done == steps ? "\n" : "");
}

const char *plural(std::size_t count) { return count == 1 ? "" : "s"; }

} // namespace

void printHeader(const Text &text, const Options &options) {
  const Shape &shape = options.model.shape;
  std::printf("transformer: %zu characters, an alphabet of %zu\n", text.characters().size(),
              text.alphabetSize());
  std::printf("model: %zu block%s of width %zu, %zu heads, context %zu\n", shape.blocks,
              plural(shape.blocks), shape.width, shape.heads, shape.context);
  std::printf(
      "device: %s, %u replica%s of %u IPU%s, %u micro-batch%s of %zu excerpts per replica\n",
      options.device.c_str(), options.replicas, plural(options.replicas), options.model.stages,
      plural(options.model.stages), options.model.microBatches,
      options.model.microBatches == 1 ? "" : "es", shape.batch);
  std::printf("loss of a guess       %.4f (all characters are equally likely)\n",
              std::log(static_cast<double>(text.alphabetSize())));
  std::printf("loss of frequencies   %.4f\n", text.entropyOfFrequencies());
  std::fflush(stdout);
}

Progress progressPrinter(unsigned steps) {
  const bool terminal = isatty(STDOUT_FILENO) == 1;
  return {[=](unsigned done, double loss) {
            if (terminal)
              printBar(done, steps, loss);
            else
              std::printf("step %5u/%u  loss %.4f\n", done, steps, loss);
            std::fflush(stdout);
          },
          [=](const std::string &why) {
            std::printf("%sfailed: %s\n", terminal ? "\n" : "", why.c_str());
            std::fflush(stdout);
          },
          [=](unsigned done) {
            std::printf("going on after step %u\n", done);
            std::fflush(stdout);
          }};
}

void printResults(const Results &results) {
  if (!results.losses.empty())
    std::printf("final loss            %.4f\n", results.losses.back());
  std::printf("parameters            %zu\n", results.parameters);
  std::printf("modelled              %llu cycles, %.0f steps/s\n",
              static_cast<unsigned long long>(results.modelledCycles),
              results.modelledStepsPerSecond);
  std::printf("wall-clock            %.1f s, %.2f steps/s\n", results.wallSeconds,
              results.stepsPerSecond);
  std::printf("parameters (SHA-256)  %s\n", results.parametersSha256.c_str());
  if (!results.sample.empty())
    std::printf("\n%s\n", results.sample.c_str());
}

void checkWritable(const std::string &file) {
  if (!file.empty() && !std::ofstream(file, std::ios::app))
    throw std::runtime_error("--json " + file + ": cannot be written");
}

void writeJson(const Results &results, const Options &options) {
  nlohmann::ordered_json json;
  json["replicas"] = options.replicas;
  json["ipus_per_replica"] = options.model.stages;
  json["device"] = options.device;
  json["seed"] = options.model.seed;
  json["steps"] = options.steps;
  json["first_step"] = results.firstStep;
  json["recoveries"] = results.recoveries;
  json["losses"] = results.losses;
  json["parameters"] = results.parameters;
  json["modelled_cycles"] = results.modelledCycles;
  json["modelled_steps_per_s"] = results.modelledStepsPerSecond;
  json["wall_s"] = results.wallSeconds;
  json["steps_per_s"] = results.stepsPerSecond;
  json["parameters_sha256"] = results.parametersSha256;
  json["sample"] = results.sample;
  std::ofstream file(options.json);
  file << json.dump(2, ' ', false, nlohmann::json::error_handler_t::replace) << '\n';
  if (!file.flush())
    throw std::runtime_error(options.json + ": cannot be written");
}

} // namespace transformer
