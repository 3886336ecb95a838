#include <gcl/CollectiveTypes.hpp>
#include <poputil/exceptions.hpp>
#include <string>

namespace gcl {
namespace {

[[noreturn]] void refuseStride(unsigned size, unsigned stride, unsigned replicas) {
  throw poputil::poplibs_error("groups of " + std::to_string(size) + " replicas with stride " +
                               std::to_string(stride) + " do not divide " +
                               std::to_string(replicas) + " replicas");
}

} // namespace

std::vector<std::vector<unsigned>> replicaGroups(const CommGroup &group, unsigned replicas) {
  const unsigned size = group.type == CommGroupType::ALL && group.replicaGroupSize == 0
                            ? replicas
                            : group.replicaGroupSize;
  if (size == 0 || replicas % size != 0)
    refuseStride(size, group.replicaGroupStride, replicas);
  if (group.type == CommGroupType::ALL && size != replicas)
    throw poputil::poplibs_error("a CommGroup of type ALL has size 0, or " +
                                 std::to_string(replicas) + ", the number of replicas, not " +
                                 std::to_string(size));
  unsigned stride = group.replicaGroupStride;
  if (stride == 0)
    stride = group.type == CommGroupType::ORTHOGONAL ? replicas / size : 1;
  const unsigned block = size * stride;
  if (block > replicas || replicas % block != 0)
    refuseStride(size, stride, replicas);
  std::vector<std::vector<unsigned>> groups;
  for (unsigned first = 0; first < replicas; first += block)
    for (unsigned offset = 0; offset < stride; ++offset) {
      std::vector<unsigned> members;
      for (unsigned rank = 0; rank < size; ++rank)
        members.push_back(first + offset + rank * stride);
      groups.push_back(std::move(members));
    }
  return groups;
}

} // namespace gcl
