#pragma once

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

namespace copse::bench {

/// IPUs that host programs of this process reach over tcp on loopback, without keys, like IPUs of
/// another machine. (IPUs that a program starts itself share memory with it, whatever their links
/// use.) The program copse lies beside this one.
class TcpCluster {
public:
  explicit TcpCluster(unsigned ipus) {
    std::string pattern = std::filesystem::temp_directory_path() / "copse-bench-XXXXXX";
    if (::mkdtemp(pattern.data()) == nullptr)
      throw std::runtime_error("no directory for a cluster");
    directory_ = pattern;
    if (std::system((copse("up") + " --transport tcp --insecure --ipus " + std::to_string(ipus) +
                     " > /dev/null 2>&1")
                        .c_str()) != 0)
      throw std::runtime_error("copse up failed");
    ::setenv("COPSE_CLUSTER", (directory_ + "/cluster.json").c_str(), 1);
  }
  ~TcpCluster() {
    ::unsetenv("COPSE_CLUSTER");
    if (std::system((copse("down") + " > /dev/null").c_str()) == 0)
      std::filesystem::remove_all(directory_);
  }
  TcpCluster(const TcpCluster &) = delete;
  TcpCluster &operator=(const TcpCluster &) = delete;

  /// Process numbers of its ipuds.
  std::vector<std::string> pids() const {
    const std::string command =
        "pgrep -f -- '^[^ ]*ipud --cluster " + directory_ + "/cluster.json'";
    const std::unique_ptr<std::FILE, int (*)(std::FILE *)> lines(::popen(command.c_str(), "r"),
                                                                 ::pclose);
    std::vector<std::string> all;
    for (int pid = 0; std::fscanf(lines.get(), "%d", &pid) == 1;)
      all.push_back(std::to_string(pid));
    return all;
  }

private:
  std::string copse(const std::string &command) const {
    const auto self = std::filesystem::read_symlink("/proc/self/exe");
    return (self.parent_path() / "copse").string() + " " + command + " --directory " + directory_;
  }
  std::string directory_;
};

} // namespace copse::bench
