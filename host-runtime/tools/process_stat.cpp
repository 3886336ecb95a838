#include "process_stat.hpp"

#include <fstream>
#include <iterator>
#include <sstream>

namespace copse::tools {

std::vector<std::string> statFields(const std::filesystem::path &process) {
  std::ifstream file(process / "stat");
  const std::string stat{std::istreambuf_iterator<char>(file), {}};
  const auto nameEnd = stat.rfind(')');
  if (nameEnd == std::string::npos)
    return {};
  std::vector<std::string> fields(3);
  std::istringstream rest(stat.substr(nameEnd + 1));
  for (std::string field; rest >> field;)
    fields.push_back(field);
  return fields;
}

} // namespace copse::tools
