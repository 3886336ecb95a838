#include "process_stat.hpp"

#include <fstream>
#include <iterator>
#include <sstream>
#include <system_error>

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

std::vector<std::string> argumentsOf(const std::filesystem::path &process) {
  std::ifstream file(process / "cmdline", std::ios::binary);
  std::vector<std::string> arguments;
  for (std::string argument; std::getline(file, argument, '\0');)
    arguments.push_back(argument);
  return arguments;
}

std::vector<int> processNumbers(const std::filesystem::path &proc) {
  std::vector<int> numbers;
  std::error_code ignored; // a process may end while it is read
  for (std::filesystem::directory_iterator at(proc, ignored), end; at != end;
       at.increment(ignored)) {
    const std::string name = at->path().filename();
    if (name.find_first_not_of("0123456789") == std::string::npos)
      numbers.push_back(std::stoi(name));
  }
  return numbers;
}

} // namespace copse::tools
