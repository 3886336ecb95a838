#include "clock/timing_model.hpp"

#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>
#include <set>
#include <stdexcept>

namespace copse::clock {
namespace {

using nlohmann::json;

/// Takes the constants of one file out by name, and knows which names nobody asked for.
class Constants {
public:
  explicit Constants(const json &file) : file_(file) {
    if (!file.is_object())
      throw std::invalid_argument("it is no JSON object");
  }

  std::string text(const std::string &key) {
    const json &value = find(key);
    if (!value.is_string())
      throw std::invalid_argument("'" + key + "' must be a string");
    return value.get<std::string>();
  }

  void read(const std::string &key, double &to) {
    to = number(key);
    if (!(to > 0) || !std::isfinite(to))
      throw std::invalid_argument("'" + key + "' must be greater than 0");
  }

  /// For a delay, which a model may leave out; a rate would divide by it.
  void readZeroOrMore(const std::string &key, double &to) {
    to = number(key);
    if (!(to >= 0) || !std::isfinite(to))
      throw std::invalid_argument("'" + key + "' must be 0 or more");
  }

  void read(const std::string &key, std::uint32_t &to) {
    const double value = number(key);
    if (!(value >= 0) || value > std::numeric_limits<std::uint32_t>::max() ||
        value != std::floor(value))
      throw std::invalid_argument("'" + key + "' must be a whole number, 0 or more");
    to = static_cast<std::uint32_t>(value);
  }

  void readAtLeastOne(const std::string &key, std::uint32_t &to) {
    read(key, to);
    if (to == 0)
      throw std::invalid_argument("'" + key + "' must be greater than 0");
  }

  void refuseTheRest() const {
    for (const auto &entry : file_.items())
      if (!known_.contains(entry.key()))
        throw std::invalid_argument("'" + entry.key() + "' is no constant of the modelled clock");
  }

private:
  const json &find(const std::string &key) {
    known_.insert(key);
    const auto found = file_.find(key);
    if (found == file_.end())
      throw std::invalid_argument("'" + key + "' is missing");
    return *found;
  }

  double number(const std::string &key) {
    const json &entry = find(key);
    if (!entry.is_object())
      throw std::invalid_argument("'" + key + "' must be an object of value, unit and source");
    for (const auto &part : entry.items())
      if (part.key() != "value" && part.key() != "unit" && part.key() != "source")
        throw std::invalid_argument("'" + key + "' has an unknown part '" + part.key() + "'");
    for (const char *part : {"unit", "source"})
      if (const auto found = entry.find(part); found == entry.end() || !found->is_string())
        throw std::invalid_argument("'" + key + "' has no " + part);
    const auto value = entry.find("value");
    if (value == entry.end() || !value->is_number())
      throw std::invalid_argument("'" + key + "' has no value that is a number");
    return value->get<double>();
  }

  const json &file_;
  std::set<std::string> known_;
};

MachineModel read(const json &file) {
  Constants from(file);
  MachineModel model;
  model.name = from.text("name");
  from.read("tileClockHz", model.tileClockHz);
  from.readAtLeastOne("workers", model.workers);
  from.read("computeSetCycles", model.computeSetCycles);
  from.read("vertexCycles", model.vertexCycles);
  from.read("internalSyncCycles", model.internalSyncCycles);
  from.read("exchangeLatencyCycles", model.exchangeLatencyCycles);
  from.readAtLeastOne("exchangeBytesPerCycle", model.exchangeBytesPerCycle);
  from.readAtLeastOne("memcpyBytesPerCycle", model.memcpyBytesPerCycle);
  from.read("rungBytesPerSecond", model.rungBytesPerSecond);
  from.read("crossingBytesPerSecond", model.crossingBytesPerSecond);
  from.read("ladderBytesPerSecond", model.ladderBytesPerSecond);
  from.read("hopLatencyCycles", model.hopLatencyCycles);
  from.read("globalSyncCycles", model.globalSyncCycles);
  from.readZeroOrMore("syncHopSeconds", model.syncHopSeconds);
  from.read("hostToIpuBytesPerSecond", model.hostToIpuBytesPerSecond);
  from.read("ipuToHostBytesPerSecond", model.ipuToHostBytesPerSecond);
  from.read("hostSharedBytesPerSecond", model.hostSharedBytesPerSecond);
  from.read("hostSyncSeconds", model.hostSyncSeconds);
  from.read("hostCallbackSeconds", model.hostCallbackSeconds);
  from.read("remoteBytesPerSecond", model.remoteBytesPerSecond);
  from.read("remoteLatencySeconds", model.remoteLatencySeconds);
  from.refuseTheRest();
  return model;
}

} // namespace

wire::Result<MachineModel> parseMachineModel(const std::string &text) {
  try {
    return read(json::parse(text));
  } catch (const json::exception &error) {
    return wire::Status{wire::Code::InvalidOption,
                        std::string("machine model: the text is no JSON: ") + error.what()};
  } catch (const std::invalid_argument &error) {
    return wire::Status{wire::Code::InvalidOption, std::string("machine model: ") + error.what()};
  }
}

} // namespace copse::clock
