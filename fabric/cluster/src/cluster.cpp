#include "cluster/cluster.hpp"

#include "located_json.hpp"

#include "fabric/endpoint.hpp"
#include "fabric/keys.hpp"
#include "fabric/topology.hpp"
#include "wire/printable.hpp"
#include "wire/readable_file.hpp"

#include <algorithm>
#include <fstream>
#include <iterator>
#include <map>
#include <set>
#include <stdexcept>
#include <utility>

namespace copse::cluster {

using fabric::Endpoint;
using fabric::TransportKind;

namespace {

using nlohmann::json;
using wire::Code;
using wire::Status;
using Pointer = LocatedJson::Pointer;

constexpr std::uintmax_t kMaxFileBytes = std::uintmax_t{1} << 20;
constexpr std::uint64_t kShortestLeaseMs = 100, kLongestLeaseMs = 600'000;

/// Turns "/ipus/2/control" into the form that people write: "ipus[2].control".
std::string spelled(const Pointer &at) {
  std::vector<std::string> words;
  for (Pointer rest = at; !rest.empty(); rest.pop_back())
    words.insert(words.begin(), rest.back());
  std::string text;
  for (const std::string &word : words) {
    if (word.find_first_not_of("0123456789") == std::string::npos)
      text += "[" + word + "]";
    else
      text += (text.empty() ? "" : ".") + word;
  }
  return text;
}

/// A mistake in the file, thrown below parseCluster(), which turns it into a Status.
class Mistake : public std::runtime_error {
public:
  Mistake(Pointer where, const std::string &why) : std::runtime_error(why), at(std::move(where)) {}
  Pointer at;
};

/// Reads the document from the top; throws Mistake at the first invalid value.
class Reader {
public:
  explicit Reader(const LocatedJson &document) : document_(document) {}

  Cluster read() {
    Cluster cluster;
    const Pointer root;
    expectObject(root, {"topology", "pod", "leaseMs", "ipus", "rbufd", "hosts", "keys"});
    cluster.topology = topology(root / "topology");
    cluster.pod = text(root / "pod");
    cluster.lease = lease(root / "leaseMs");
    const Pointer ipus = root / "ipus";
    if (!has(ipus) || !at(ipus).is_array())
      throw Mistake(ipus, "is missing or no list; write [{\"control\": ...}, ...]");
    if (const std::size_t n = at(ipus).size();
        n == 0 || n > fabric::kMaxIpus || (n > 1 && n % 2 == 1))
      throw Mistake(ipus, "has " + std::to_string(n) +
                              " entries: pairs of IPUs form the rungs of the ladder; use 1 or an "
                              "even number from 2 to " +
                              std::to_string(fabric::kMaxIpus));
    for (std::size_t i = 0; i < at(ipus).size(); ++i)
      cluster.ipus.push_back(ipu(ipus / i));
    if (has(root / "rbufd"))
      cluster.rbufd = rbufd(root / "rbufd");
    if (has(root / "hosts"))
      cluster.hosts = hosts(root / "hosts");
    cluster.keys = text(root / "keys");
    if (!cluster.keys.empty() && transport_ != TransportKind::Tcp)
      throw Mistake(root / "keys",
                    "are for tcp endpoints; the directory of ipc and shm endpoints, which "
                    "only you may enter, keeps others out; leave them away");
    return cluster;
  }

private:
  std::vector<std::string> hosts(const Pointer &where) const {
    if (!at(where).is_array() || at(where).empty())
      throw Mistake(where, "is not a list of names; write [\"host\"]");
    std::vector<std::string> names;
    std::set<std::string> known;
    for (std::size_t i = 0; i < at(where).size(); ++i) {
      const std::string name = text(where / i);
      if (!fabric::isName(name) || fabric::roleOf(name) != fabric::Role::Host)
        throw Mistake(where / i, "is '" + name +
                                     "'; write letters, digits, '-', '_' or '.', and "
                                     "neither ipu-N nor rbufd, which are daemons");
      if (!known.insert(name).second)
        throw Mistake(where / i, "is '" + name + "', which appears twice");
      names.push_back(name);
    }
    return names;
  }

  const json &at(const Pointer &where) const { return document_.value.at(where); }
  bool has(const Pointer &where) const { return document_.value.contains(where); }

  void expectObject(const Pointer &where, const std::vector<std::string> &keys) const {
    if (!at(where).is_object())
      throw Mistake(where, "is not an object; write {...}");
    for (const auto &[key, value] : at(where).items())
      if (std::find(keys.begin(), keys.end(), key) == keys.end()) {
        std::string known;
        for (const std::string &one : keys)
          known += (known.empty() ? "" : ", ") + one;
        throw Mistake(where / key, "is unknown; known keys are: " + known);
      }
  }

  std::string text(const Pointer &where) const {
    if (!has(where))
      return {};
    if (!at(where).is_string() || at(where).get_ref<const std::string &>().empty())
      throw Mistake(where, "is not a text, or is empty");
    return at(where).get<std::string>();
  }

  wire::Topology topology(const Pointer &where) const {
    const std::string name = text(where);
    if (name.empty() || name == "mesh")
      return wire::Topology::Mesh;
    if (name == "torus")
      return wire::Topology::Torus;
    throw Mistake(where, "is '" + name + "'; write \"mesh\" or \"torus\"");
  }

  std::chrono::milliseconds lease(const Pointer &where) const {
    if (!has(where))
      return Cluster::kDefaultLease;
    if (!at(where).is_number_unsigned() || at(where) < kShortestLeaseMs ||
        at(where) > kLongestLeaseMs)
      throw Mistake(where, "is no number from " + std::to_string(kShortestLeaseMs) + " to " +
                               std::to_string(kLongestLeaseMs));
    return std::chrono::milliseconds(at(where).get<std::uint64_t>());
  }

  ClusterIpu ipu(const Pointer &where) {
    expectObject(where, {"control", "link", "sync", "bind", "metrics"});
    ClusterIpu ipu;
    ipu.control = endpoint(where, "control");
    ipu.link = endpoint(where, "link");
    ipu.sync = endpoint(where, "sync");
    ipu.metrics = metrics(where / "metrics");
    for (const ClusterEndpoint *one : {&ipu.control, &ipu.link, &ipu.sync}) {
      const auto endpoint = Endpoint::parse(one->address);
      const TransportKind transport = endpoint->isLocal() ? TransportKind::Ipc : TransportKind::Tcp;
      if (transport != transport_.value_or(transport))
        throw Mistake(where, "mixes tcp and ipc; give all IPUs endpoints of one kind");
      transport_ = transport;
      if (one != &ipu.link && endpoint->transport() == TransportKind::Shm)
        throw Mistake(where, "has a shm endpoint that is no link; write ipc:// there");
    }
    const TransportKind links = Endpoint::parse(ipu.link.address)->transport();
    if (links != links_.value_or(links))
      throw Mistake(where / "link", "is of another kind than the links before; give all links shm "
                                    "endpoints, or all ipc");
    links_ = links;
    return ipu;
  }

  ClusterRbufd rbufd(const Pointer &where) {
    expectObject(where, {"endpoint", "bind", "directory", "metrics", "name"});
    return {endpoint(where, "endpoint"), text(where / "directory"), metrics(where / "metrics"),
            text(where / "name")};
  }

  std::string metrics(const Pointer &where) {
    std::string address = text(where);
    if (!address.empty() && !fabric::splitHostPort(address))
      throw Mistake(where, "is '" + address + "'; write ADDRESS:PORT, such as 127.0.0.1:9472");
    if (!address.empty())
      unique(where, address);
    return address;
  }

  /// Returns the endpoint \p key of the daemon at \p where, and the address at which it listens.
  ClusterEndpoint endpoint(const Pointer &where, const char *key) {
    const Pointer place = where / key;
    const std::string address = text(place);
    if (address.empty())
      throw Mistake(place, "is missing; write tcp://HOST:PORT, or ipc:// and a path");
    const auto parsed = Endpoint::parseReachable(address);
    if (!parsed)
      throw Mistake(place, "is '" + address + "': " + parsed.status().message);
    unique(place, address);
    const std::string bind = text(where / "bind");
    if (parsed->isLocal()) {
      if (!bind.empty())
        throw Mistake(where / "bind", "has no meaning for endpoints that are paths; leave it out");
      return {address, address};
    }
    if (!bind.empty() && !fabric::isAddress(bind))
      throw Mistake(where / "bind",
                    "is '" + bind + "'; write the address of an interface, such as 0.0.0.0");
    const std::string interface = bind.empty() ? fabric::interfaceOf(parsed->place()) : bind;
    return {address, Endpoint::tcp(interface, parsed->port()).text()};
  }

  void unique(const Pointer &where, const std::string &address) {
    const auto [first, isNew] = places_.emplace(address, where);
    if (!isNew)
      throw Mistake(where, "is '" + address + "', which is " + spelled(first->second) +
                               " on line " + std::to_string(document_.lineOf(first->second)) +
                               " already; give each socket an endpoint of its own");
  }

  const LocatedJson &document_;
  /// Transport of all IPUs: Tcp, or Ipc if all endpoints are paths.
  std::optional<TransportKind> transport_;
  std::optional<TransportKind> links_;    ///< endpoints of the links of all IPUs
  std::map<std::string, Pointer> places_; ///< every address
};

} // namespace

wire::Result<Cluster> parseCluster(const std::string &text, const std::string &name) {
  const std::string what = "cluster file " + name + ", ";
  const auto document = parseLocated(text);
  if (!document)
    return Status{Code::InvalidOption, what + wire::printableText(document.status().message)};
  try {
    Cluster cluster = Reader(*document).read();
    cluster.file = name;
    return cluster;
  } catch (const Mistake &mistake) {
    const std::string place = spelled(mistake.at);
    return Status{
        Code::InvalidOption,
        what + "line " + std::to_string(document->lineOf(mistake.at)) + ": " +
            wire::printableText((place.empty() ? "the file" : place) + " " + mistake.what())};
  }
}

wire::Result<Cluster> readCluster(const std::filesystem::path &file) {
  const auto bad = [&](const std::string &why) {
    return Status{Code::InvalidOption, "cluster file " + file.string() + ": " + why};
  };
  if (const std::string why = wire::whyUnreadable(file); !why.empty())
    return bad("cannot be read: " + why);
  std::error_code error; // a pipe, for instance, would block a daemon
  const auto bytes = std::filesystem::file_size(file, error);
  if (error)
    return bad("cannot be read: " + error.message());
  std::ifstream stream(file, std::ios::binary);
  if (bytes > kMaxFileBytes)
    return bad("is larger than 1 MiB, which no cluster file is");
  auto cluster = parseCluster({std::istreambuf_iterator<char>(stream), {}}, file.string());
  if (cluster && !cluster->keys.empty() && cluster->keys.is_relative())
    cluster->keys = file.parent_path() / cluster->keys;
  return cluster;
}

std::string formatCluster(const Cluster &cluster) {
  using Object = nlohmann::ordered_json;
  const auto bindOf = [](const ClusterEndpoint &endpoint, Object &to) {
    const auto parsed = Endpoint::parse(endpoint.listen);
    if (parsed && parsed->transport() == TransportKind::Tcp && endpoint.listen != endpoint.address)
      to["bind"] = parsed->place();
  };
  Object file;
  file["topology"] = cluster.topology == wire::Topology::Torus ? "torus" : "mesh";
  if (!cluster.pod.empty())
    file["pod"] = cluster.pod;
  file["leaseMs"] = cluster.lease.count();
  file["ipus"] = Object::array();
  for (const ClusterIpu &ipu : cluster.ipus) {
    Object one{
        {"control", ipu.control.address}, {"link", ipu.link.address}, {"sync", ipu.sync.address}};
    bindOf(ipu.control, one);
    if (!ipu.metrics.empty())
      one["metrics"] = ipu.metrics;
    file["ipus"].push_back(std::move(one));
  }
  if (cluster.rbufd) {
    Object one{{"endpoint", cluster.rbufd->endpoint.address}};
    bindOf(cluster.rbufd->endpoint, one);
    if (!cluster.rbufd->directory.empty())
      one["directory"] = cluster.rbufd->directory;
    if (!cluster.rbufd->metrics.empty())
      one["metrics"] = cluster.rbufd->metrics;
    if (!cluster.rbufd->name.empty())
      one["name"] = cluster.rbufd->name;
    file["rbufd"] = std::move(one);
  }
  if (!cluster.keys.empty()) {
    file["hosts"] = cluster.hosts;
    file["keys"] = cluster.keys.string();
  }
  return file.dump(2) + "\n";
}

} // namespace copse::cluster
