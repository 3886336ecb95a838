#include "profile_page.hpp"

#include "profile/profile_data.hpp"
#include "report/page.hpp"

#include <cerrno>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <stdexcept>
#include <system_error>
#include <unistd.h>

namespace copse::tools {
namespace {

namespace fs = std::filesystem;

void writeTo(const std::string &path, auto &&write) {
  std::ofstream file(path, std::ios::binary | std::ios::trunc);
  write(file);
  if (!file.flush())
    throw std::runtime_error("cannot write '" + path + "'; choose another file with --output");
}

/// Replaces this process by the program that opens files on the user's desktop.
int open(const std::string &path) {
  ::execlp("xdg-open", "xdg-open", path.c_str(), nullptr);
  throw std::runtime_error("xdg-open: " + std::generic_category().message(errno) + "; open '" +
                           path + "' yourself");
}

} // namespace

int writeProfilePage(const PageRequest &request) {
  std::vector<profile::ReportData> data;
  std::vector<report::NamedProfile> profiles;
  data.reserve(request.profiles.size());
  for (const std::string &name : request.profiles) {
    data.push_back(profile::readReport(name));
    profiles.push_back({name, &data.back()});
  }
  if (request.json) {
    const auto write = [&](std::ostream &out) { report::writeFigures(out, profiles); };
    if (request.output.empty())
      write(std::cout);
    else
      writeTo(request.output, write);
    return 0;
  }
  const std::string output =
      request.output.empty()
          ? (fs::path(profile::profileIn(request.profiles.back())).parent_path() / "report.html")
                .string()
          : request.output;
  writeTo(output, [&](std::ostream &out) { report::writePage(out, profiles); });
  std::cout << output << std::endl;
  return request.open ? open(output) : 0;
}

} // namespace copse::tools
