#include "remote_buffers/daemon.hpp"
#include "wire/readable_file.hpp"

#include <fstream>
#include <nlohmann/json.hpp>

namespace copse::remote_buffers {

using wire::Code;
using wire::Status;

wire::Result<DaemonOptions> readConfiguration(const std::filesystem::path &file) {
  const auto bad = [&](const std::string &why) {
    return Status{Code::InvalidOption, "configuration " + file.string() + ": " + why};
  };
  if (const std::string why = wire::whyUnreadable(file); !why.empty())
    return bad("cannot be read: " + why);
  std::ifstream stream(file);
  const auto json = nlohmann::json::parse(stream, nullptr, false);
  if (!json.is_object())
    return bad("is not one JSON object");
  DaemonOptions options;
  for (const auto &[key, value] : json.items()) {
    if (key == "listen" && value.is_string())
      options.listen = value;
    else if (key == "directory" && value.is_string())
      options.directory = value.get<std::string>();
    else if (key == "metrics" && value.is_string())
      options.metrics = value;
    else if (key == "logLevel" && value.is_string())
      options.logLevel = value;
    else if (key == "maxMessageBytes" && value.is_number_unsigned())
      options.maxMessageBytes = value;
    else
      return bad("'" + key + "' is no option, or its value is of the wrong kind");
  }
  return options;
}

} // namespace copse::remote_buffers
