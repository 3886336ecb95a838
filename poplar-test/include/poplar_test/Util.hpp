#pragma once

#include <cstddef>
#include <memory>
#include <poplar/Engine.hpp>
#include <poplar/Graph.hpp>
#include <poplar/Program.hpp>
#include <poplar/Quarter.hpp>
#include <poplar/Target.hpp>
#include <poplar/Tensor.hpp>
#include <poplar/Type.hpp>
#include <poplar/TypeConversion.hpp>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

/// Memory of the host for tensors, and numbers in the types of a device, for tests of libraries of operations. The tests
/// and tools of PopLibs use this package of the SDK from release 2.5 on. (C++17.)
namespace poplar_test {

/// A sequence to add to, or none: of a Sequence, or of anything that may be one (an optional or pointer to one, boost::none,
/// std::nullopt, nullptr).
class OptionalSequence {
public:
  OptionalSequence(poplar::program::Sequence &sequence) : sequence_(&sequence) {}
  template <typename T,
            typename = std::enable_if_t<!std::is_base_of_v<poplar::program::Program, T>>>
  OptionalSequence(const T &maybe) : sequence_(of(maybe, 0)) {}

  poplar::program::Sequence *get() const { return sequence_; }

private:
  template <typename T> static auto of(const T &maybe, int) -> decltype(&*maybe) {
    return maybe ? &*maybe : nullptr;
  }
  template <typename T> static poplar::program::Sequence *of(const T &, long) { return nullptr; }

  poplar::program::Sequence *sequence_;
};

/// Memory of the host that streams of a tensor read and write.
struct HostMemory {
  /// Elements of all replicas, one replica after the other, in the tensor's type.
  char *data = nullptr;
  std::size_t bytes = 0; ///< of all replicas together
  bool isUploaded = false;
  bool isDownloaded = false;
};
using HostMemories = std::vector<std::pair<std::string, HostMemory>>;

/// Memory for the elements of \p t in its own type, zero at first; those of the graph's replicas come one after the other.
///
/// Adds a stream and a copy from this memory into the tensor to \p upload, one back to \p download, and an entry to \p memories,
/// which attachStreams() connects. \p name has to be another for each tensor. The caller owns the memory, and keeps it for as
/// long as the engine runs.
std::unique_ptr<char[]> allocateHostMemoryForTensor(const poplar::Tensor &t,
                                                    const std::string &name, poplar::Graph &graph,
                                                    OptionalSequence upload,
                                                    OptionalSequence download,
                                                    HostMemories &memories);

/// Memory of the same size that no stream uses.
std::unique_ptr<char[]> allocateHostMemoryForTensor(const poplar::Target &target,
                                                    const poplar::Tensor &t,
                                                    unsigned replicationFactor = 1);

/// Connects the streams of \p memories. \throws poplar::stream_connection_error if \p engine has them not
void attachStreams(poplar::Engine &engine, const HostMemories &memories);

/// Copies \p count numbers into memory of the host, in which they have the type \p dstType of a device.
template <typename T>
void copy(const poplar::Target &, const T *src, std::size_t count, const poplar::Type &dstType,
          void *dst) {
  poplar::convertToDeviceType(dstType, poplar::ArrayRef<T>(src, count), dst);
}
/// Copies numbers of the type \p srcType from there.
template <typename T>
void copy(const poplar::Target &, const poplar::Type &srcType, const void *src, T *dst,
          std::size_t count) {
  poplar::convertFromDeviceType(srcType, src, poplar::ArrayRef<T>(dst, count));
}

/// The same of quarters, which have \p metadata.
template <typename T>
void copy(const poplar::Target &, const T *src, std::size_t count, const poplar::Type &dstType,
          const poplar::QuarterMetadata &metadata, void *dst) {
  poplar::convertToDeviceType(dstType, metadata, poplar::ArrayRef<T>(src, count), dst);
}
template <typename T>
void copy(const poplar::Target &, const poplar::Type &srcType,
          const poplar::QuarterMetadata &metadata, const void *src, T *dst, std::size_t count) {
  poplar::convertFromDeviceType(srcType, metadata, src, poplar::ArrayRef<T>(dst, count));
}

namespace detail {
template <typename C> auto count(const C &c, int) -> decltype(c.num_elements()) {
  return c.num_elements(); // of a boost::multi_array, whose size() counts rows
}
template <typename C> auto count(const C &c, long) -> decltype(c.size()) { return c.size(); }
} // namespace detail

/// The same of all elements of a std::vector or a boost::multi_array.
template <typename Container, typename = decltype(std::declval<const Container &>().data())>
void copy(const poplar::Target &target, const Container &src, const poplar::Type &dstType,
          void *dst) {
  copy(target, src.data(), detail::count(src, 0), dstType, dst);
}
template <typename Container, typename = decltype(std::declval<Container &>().data())>
void copy(const poplar::Target &target, const poplar::Type &srcType, const void *src,
          Container &dst) {
  copy(target, srcType, src, dst.data(), detail::count(dst, 0));
}

template <typename Container, typename = decltype(std::declval<const Container &>().data())>
void copy(const poplar::Target &target, const Container &src, const poplar::Type &dstType,
          const poplar::QuarterMetadata &metadata, void *dst) {
  copy(target, src.data(), detail::count(src, 0), dstType, metadata, dst);
}
template <typename Container, typename = decltype(std::declval<Container &>().data())>
void copy(const poplar::Target &target, const poplar::Type &srcType,
          const poplar::QuarterMetadata &metadata, const void *src, Container &dst) {
  copy(target, srcType, metadata, src, dst.data(), detail::count(dst, 0));
}

} // namespace poplar_test
