#pragma once

#include <cerrno>
#include <fcntl.h>
#include <filesystem>
#include <fstream>
#include <functional>
#include <string>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/un.h>
#include <system_error>
#include <unistd.h>
#include <vector>

namespace copse::test {

/// An object that may lie at the path at which a program stores a file of its own.
struct SpoiledFile {
  std::string name; ///< as the end of a sentence: "the file is ..."
  /// Makes it of a good file, which is there.
  std::function<void(const std::filesystem::path &)> spoil;
};

inline void require(bool done, const std::string &what) {
  if (!done)
    throw std::system_error(errno, std::generic_category(), what);
}

/// Makes a socket. Its address is relative to the folder, as a whole path may be too long for one.
inline void bindSocket(const std::filesystem::path &path) {
  const std::filesystem::path before = std::filesystem::current_path();
  std::filesystem::current_path(path.parent_path());
  const int socket = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_un address{AF_UNIX, "socket"};
  require(::bind(socket, reinterpret_cast<const sockaddr *>(&address), sizeof address) == 0,
          "bind");
  ::close(socket);
  std::filesystem::rename(address.sun_path, path.filename());
  std::filesystem::current_path(before);
}

/// Returns all kinds. Those that only root can create are included for root only.
inline std::vector<SpoiledFile> spoiledFiles() {
  namespace fs = std::filesystem;
  using Path = const fs::path &;
  const auto instead = [](const std::function<void(Path)> &make) {
    return [make](Path file) {
      fs::remove(file);
      make(file);
    };
  };
  const auto changeByte = [](Path file, std::uintmax_t at) {
    std::fstream stream(file, std::ios::in | std::ios::out | std::ios::binary);
    stream.seekg(static_cast<std::streamoff>(at));
    const int byte = stream.get();
    stream.seekp(static_cast<std::streamoff>(at));
    stream.put(static_cast<char>(byte ^ 0x10));
  };
  std::vector<SpoiledFile> all{
      {"a folder", instead([](Path file) { fs::create_directory(file); })},
      {"a folder with a file", instead([](Path file) {
         fs::create_directory(file);
         std::ofstream(file / "of the user") << "a file";
       })},
      {"a FIFO", instead([](Path file) { require(::mkfifo(file.c_str(), 0600) == 0, "mkfifo"); })},
      {"a socket", instead(bindSocket)},
      {"a symbolic link to itself", instead([](Path file) { fs::create_symlink(file, file); })},
      {"a symbolic link to an endless device",
       instead([](Path file) { fs::create_symlink("/dev/zero", file); })},
      {"a symbolic link to the file that it was",
       [](Path file) {
         const fs::path other = file.string() + ".other";
         fs::rename(file, other);
         fs::create_symlink(other, file);
       }},
      {"empty", [](Path file) { fs::resize_file(file, 0); }},
      {"cut off", [](Path file) { fs::resize_file(file, fs::file_size(file) / 2); }},
      {"cut off by its last byte",
       [](Path file) { fs::resize_file(file, fs::file_size(file) - 1); }},
      {"longer by a byte", [](Path file) { std::ofstream(file, std::ios::app) << 'x'; }},
      {"huge", [](Path file) { fs::resize_file(file, std::uintmax_t{1} << 42); }},
      {"huge, and within the limits of caches",
       [](Path file) { fs::resize_file(file, std::uintmax_t{4000} << 20); }},
      {"damaged at its begin", [=](Path file) { changeByte(file, 0); }},
      {"damaged in the middle", [=](Path file) { changeByte(file, fs::file_size(file) / 2); }},
      {"damaged at its end", [=](Path file) { changeByte(file, fs::file_size(file) - 1); }},
      {"open to the writes of everybody",
       [](Path file) { fs::permissions(file, fs::perms::others_write, fs::perm_options::add); }},
  };
  if (::geteuid() == 0) {
    constexpr uid_t kAnother = 12345;
    all.push_back({"another user's",
                   [](Path file) { require(::chown(file.c_str(), kAnother, 0) == 0, "chown"); }});
    all.push_back({"an endless device", instead([](Path file) {
                     // Some containers forbid it; then an empty file is used.
                     if (::mknod(file.c_str(), S_IFCHR | 0600, makedev(1, 5)) != 0)
                       std::ofstream{file};
                   })});
  }
  return all;
}

} // namespace copse::test
