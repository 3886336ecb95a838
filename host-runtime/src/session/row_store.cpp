#include "session/row_store.hpp"

#include "remote_buffers/client.hpp"

#include <cerrno>
#include <cstdlib>
#include <string>
#include <utility>

namespace copse::session {
namespace {

std::string fromEnvironment(const char *name) {
  const char *value = std::getenv(name); // NOLINT(concurrency-mt-unsafe): nobody sets it meanwhile
  return value != nullptr ? value : "";
}

} // namespace

wire::Result<remote_buffers::RemoteBufferStore> makeRowStore(const Program &program) {
  std::vector<remote_buffers::BufferShape> shapes;
  for (const auto &buffer : program.remoteBuffers)
    shapes.push_back({buffer.handle, buffer.rowBytes, buffer.rows});
  const std::string endpoint = fromEnvironment("COPSE_RBUFD");
  if (endpoint.empty() || shapes.empty())
    return remote_buffers::RemoteBufferStore::create(std::move(shapes), program.replicas);
  std::string name = fromEnvironment("COPSE_RBUFD_NAME");
  if (name.empty())
    name = ::program_invocation_short_name;
  return remote_buffers::openRemote({endpoint, std::move(name)}, std::move(shapes),
                                    program.replicas);
}

} // namespace copse::session
