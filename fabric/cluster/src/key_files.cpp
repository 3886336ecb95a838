#include "cluster/key_files.hpp"

#include "fabric/endpoint.hpp"
#include "wire/environment.hpp"

#include <cerrno>
#include <fcntl.h>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sys/stat.h>
#include <system_error>
#include <unistd.h>
#include <utility>

namespace copse::cluster {

using fabric::Endpoint;
using fabric::KeyPair;
using fabric::Keyring;
using fabric::TransportKind;

namespace {

namespace fs = std::filesystem;
using nlohmann::json;
using wire::Code;
using wire::Status;

constexpr const char *kPublicFile = "public.json";
constexpr mode_t kSecretMode = 0600, kPublicMode = 0644;

Status bad(const fs::path &file, const std::string &why) {
  return {Code::InvalidOption, "key file " + file.string() + ": " + why};
}

fs::path secretFile(const fs::path &directory, const std::string &name) {
  return directory / (name + ".key");
}

/// Creates a file with its final mode, completely or not at all: a daemon may read it at any time.
Status writeFile(const fs::path &file, const json &content, mode_t mode) {
  const std::string text = content.dump(2) + "\n";
  const fs::path part = file.string() + ".new";
  (void)::unlink(part.c_str());
  const int descriptor = ::open(part.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode);
  if (descriptor < 0)
    return bad(file, std::string("cannot be written: ") + std::generic_category().message(errno));
  const bool written =
      ::write(descriptor, text.data(), text.size()) == static_cast<ssize_t>(text.size());
  const bool closed = ::close(descriptor) == 0;
  if (!written || !closed || ::rename(part.c_str(), file.c_str()) != 0)
    return bad(file, std::string("cannot be written: ") + std::generic_category().message(errno));
  return Status::success();
}

bool isKey(const json &value) {
  return value.is_string() && value.get_ref<const std::string &>().size() == 40;
}

wire::Result<KeyPair> readPair(const fs::path &file) {
  struct stat info {};
  if (::stat(file.c_str(), &info) != 0)
    return bad(file, std::generic_category().message(errno) + "; write it with copse keys");
  if (!S_ISREG(info.st_mode))
    return bad(file, "is no file; remove it, and write it again with copse keys");
  if ((info.st_mode & 077) != 0)
    return bad(file, "others may read it; chmod 600 it");
  std::ifstream stream(file);
  const json content = json::parse(stream, nullptr, false);
  if (!content.is_object() || !content.contains("public") || !content.contains("secret") ||
      !isKey(content["public"]) || !isKey(content["secret"]))
    return bad(file, "holds no pair of keys, or this user may not read it; write it again with "
                     "copse keys");
  return KeyPair{content["public"], content["secret"]};
}

wire::Result<std::map<std::string, std::string>> readPublic(const fs::path &file) {
  std::error_code error;
  if (!fs::is_regular_file(file, error))
    return bad(file, "is missing or no file; write it with copse keys");
  std::ifstream stream(file);
  const json content = json::parse(stream, nullptr, false);
  if (!content.is_object())
    return bad(file, "cannot be read, or is no list of keys; write it with copse keys");
  std::map<std::string, std::string> keys;
  for (const auto &[name, key] : content.items()) {
    if (!isKey(key))
      return bad(file, "'" + name + "' has no key of 40 characters");
    keys[name] = key;
  }
  return keys;
}

wire::Result<KeyPair> pairOf(const fs::path &directory, const std::string &name, bool &isNew) {
  const fs::path file = secretFile(directory, name);
  isNew = !fs::exists(file);
  if (!isNew)
    return readPair(file);
  const KeyPair pair = fabric::newKeyPair();
  if (Status status =
          writeFile(file, {{"name", name}, {"public", pair.publicKey}, {"secret", pair.secretKey}},
                    kSecretMode);
      !status.ok())
    return status;
  return pair;
}

} // namespace

std::vector<std::string> nodesOf(const Cluster &cluster) {
  std::vector<std::string> names = cluster.hosts;
  for (std::size_t ipu = 0; ipu < cluster.ipus.size(); ++ipu)
    names.push_back(fabric::nameOfIpu(ipu));
  if (cluster.rbufd)
    names.emplace_back(fabric::kRbufdName);
  return names;
}

wire::Result<std::size_t> writeKeys(const fs::path &directory,
                                    const std::vector<std::string> &names) {
  if (::mkdir(directory.c_str(), 0700) != 0 && errno != EEXIST)
    return bad(directory, std::string("the directory cannot be made: ") +
                              std::generic_category().message(errno));
  json publicKeys = json::object();
  std::size_t fresh = 0;
  for (const std::string &name : names) {
    bool isNew = false;
    const auto pair = pairOf(directory, name, isNew);
    if (!pair)
      return pair.status();
    fresh += isNew ? 1 : 0;
    publicKeys[name] = pair->publicKey;
  }
  if (Status status = writeFile(directory / kPublicFile, publicKeys, kPublicMode); !status.ok())
    return status;
  return fresh;
}

wire::Result<std::shared_ptr<const Keyring>> keysOf(const Cluster &cluster,
                                                    const std::string &self) {
  if (cluster.keys.empty())
    return std::shared_ptr<const Keyring>();
  auto own = readPair(secretFile(cluster.keys, self));
  if (!own)
    return own.status();
  auto all = readPublic(cluster.keys / kPublicFile);
  if (!all)
    return all.status();
  const auto found = all->find(self);
  if (found == all->end() || found->second != own->publicKey)
    return bad(cluster.keys / kPublicFile,
               "does not have the same key of '" + self +
                   "' as the key file of that node; write new keys with "
                   "copse keys, and copy them to all nodes");
  return std::shared_ptr<const Keyring>(
      std::make_shared<Keyring>(self, std::move(*own), std::move(*all)));
}

wire::Result<std::shared_ptr<const Keyring>> keysOfHost(const Cluster &cluster) {
  const std::string name = wire::environmentVariable("COPSE_HOST");
  return keysOf(cluster, name.empty() ? cluster.hosts.front() : name);
}

Status checkLoopback(const std::vector<std::string> &endpoints) {
  for (const std::string &text : endpoints) {
    const auto endpoint = Endpoint::parse(text);
    if (!endpoint)
      return {Code::InvalidOption, "'" + text + "' is no endpoint: " + endpoint.status().message};
    if (endpoint->transport() == TransportKind::Tcp && !fabric::isLoopback(endpoint->place()))
      return {Code::InvalidOption,
              "'" + text +
                  "' can be reached from other machines, and any program that reaches an ipud "
                  "can run code there; use a cluster file with \"keys\" (copse keys "
                  "writes them), listen on 127.0.0.1, or pass --insecure"};
  }
  return Status::success();
}

} // namespace copse::cluster
