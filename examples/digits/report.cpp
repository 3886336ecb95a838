#include "report.hpp"

#include <cstdio>
#include <fstream>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <unistd.h>

namespace digits {

namespace {

void printBar(unsigned done, unsigned epochs, double loss) {
  constexpr unsigned kWidth = 40;
  const unsigned filled = done * kWidth / epochs;
  const std::string bar = std::string(filled, '#') + std::string(kWidth - filled, '.');
  std::printf("\r  [%s] epoch %u/%u  loss %.4f%s", bar.c_str(), done, epochs, loss,
              done == epochs ? "\n" : "");
}

} // namespace

void printHeader(const Dataset &dataset, const Options &options) {
  std::printf("digits: %zu training images, %zu test images, 8x8 pixels\n", dataset.train.size(),
              dataset.test.size());
  std::printf("device: %s, %u replica%s of 1 IPU, %s, batch %u per replica\n",
              options.device.c_str(), options.replicas, options.replicas == 1 ? "" : "s",
              options.topology.c_str(), options.batch);
  std::fflush(stdout);
}

Progress progressPrinter(unsigned epochs, bool isAlone) {
  const bool terminal = isAlone && isatty(STDOUT_FILENO) == 1;
  return {[=](unsigned epoch, double loss) {
            if (terminal)
              printBar(epoch + 1, epochs, loss);
            else
              std::printf("epoch %3u/%u  loss %.4f\n", epoch + 1, epochs, loss);
            std::fflush(stdout);
          },
          [=](const std::string &why) {
            std::printf("%sfailed: %s\n", terminal ? "\n" : "", why.c_str());
            std::fflush(stdout);
          },
          [=](unsigned done) {
            std::printf("going on after epoch %u\n", done);
            std::fflush(stdout);
          }};
}

Progress silence() {
  return {[](unsigned, double) {}, [](const std::string &) {}, [](unsigned) {}};
}

std::string placeOf(const Results &results) {
  const auto counted = [](unsigned count, const std::string &one, const std::string &many) {
    return "with " + std::to_string(count) + (count == 1 ? one : many);
  };
  if (results.clusterIpus > 0)
    return counted(results.clusterIpus, " IPU of a cluster", " IPUs of a cluster");
  return results.ipudProcesses == 0
             ? "in this process"
             : counted(results.ipudProcesses, " ipud process", " ipud processes");
}

void printResults(const Results &results) {
  std::printf("test accuracy      %.2f %%\n", 100 * results.accuracy);
  std::printf("final loss         %.4f\n", results.finalLoss);
  std::printf("modelled           %llu cycles, %.0f images/s\n",
              static_cast<unsigned long long>(results.modelledCycles),
              results.modelledImagesPerSecond);
  std::printf("wall-clock         %.1f s %s\n", results.wallSeconds, placeOf(results).c_str());
  std::printf("weights (SHA-256)  %s\n", results.weightsSha256.c_str());
}

void checkWritable(const std::string &file) {
  if (!file.empty() && !std::ofstream(file, std::ios::app))
    throw std::runtime_error("--json " + file + ": cannot be written");
}

void writeJson(const Results &results, const Options &options) {
  nlohmann::ordered_json json;
  json["accuracy"] = results.accuracy;
  json["replicas"] = options.replicas;
  json["device"] = options.device;
  json["topology"] = options.topology;
  json["batch"] = options.batch;
  json["seed"] = options.seed;
  json["ipud_processes"] = results.ipudProcesses;
  json["epochs"] = options.epochs;
  json["first_epoch"] = results.firstEpoch;
  json["recoveries"] = results.recoveries;
  json["final_loss"] = results.finalLoss;
  json["loss_per_epoch"] = results.lossPerEpoch;
  json["modelled_cycles"] = results.modelledCycles;
  json["modelled_images_per_s"] = results.modelledImagesPerSecond;
  json["wall_s"] = results.wallSeconds;
  json["weights_sha256"] = results.weightsSha256;
  std::ofstream file(options.json);
  file << json.dump(2) << '\n';
  if (!file.flush())
    throw std::runtime_error(options.json + ": cannot be written");
}

} // namespace digits
