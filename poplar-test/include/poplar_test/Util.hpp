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

/// Host memory for tensors, and conversion of numbers to the types of a device, for tests of
/// libraries of operations. From release 2.5 on, the tests and tools of PopLibs use this package of
/// the SDK. (C++17.)
namespace poplar_test {

/// Passes an optional sequence to add to. An OptionalSequence converts from a Sequence, and from an
/// optional or a pointer to one (boost::none, std::nullopt, nullptr).
class OptionalSequence {
public:
  /// Refers to a sequence.
  OptionalSequence(poplar::program::Sequence &sequence) : sequence_(&sequence) {}
  /// Refers to the sequence of an optional or a pointer, if there is one.
  template <typename T,
            typename = std::enable_if_t<!std::is_base_of_v<poplar::program::Program, T>>>
  OptionalSequence(const T &maybe) : sequence_(of(maybe, 0)) {}

  /// Returns the sequence; null if there is none.
  poplar::program::Sequence *get() const { return sequence_; }

private:
  template <typename T> static auto of(const T &maybe, int) -> decltype(&*maybe) {
    return maybe ? &*maybe : nullptr;
  }
  template <typename T> static poplar::program::Sequence *of(const T &, long) { return nullptr; }

  poplar::program::Sequence *sequence_;
};

/// Describes host memory that streams of a tensor read and write.
struct HostMemory {
  /// The elements of all replicas, one replica after another, in the tensor's type.
  char *data = nullptr;
  /// The size for all replicas together [bytes].
  std::size_t bytes = 0;
  /// True: a stream reads the memory.
  bool isUploaded = false;
  /// True: a stream writes the memory.
  bool isDownloaded = false;
};
/// The memories of tensors by name.
using HostMemories = std::vector<std::pair<std::string, HostMemory>>;

/// Allocates memory for the elements of \p t in its own type, initially zero. The elements of the
/// graph's replicas follow each other.
///
/// Adds a stream and a copy from this memory to the tensor to \p upload, the reverse to \p
/// download, and an entry to \p memories, which attachStreams() connects. \p name must be unique.
/// The caller owns the memory, which must outlive the engine.
std::unique_ptr<char[]> allocateHostMemoryForTensor(const poplar::Tensor &t,
                                                    const std::string &name, poplar::Graph &graph,
                                                    OptionalSequence upload,
                                                    OptionalSequence download,
                                                    HostMemories &memories);

/// Allocates memory of this size that no stream uses.
std::unique_ptr<char[]> allocateHostMemoryForTensor(const poplar::Target &target,
                                                    const poplar::Tensor &t,
                                                    unsigned replicationFactor = 1);

/// Connects the streams of \p memories.
/// \throws poplar::stream_connection_error if \p engine does not have a stream
void attachStreams(poplar::Engine &engine, const HostMemories &memories);

/// Copies \p count numbers to host memory, and converts them to the type \p dstType of a device.
/// Throws as poplar::convertToDeviceType() does.
template <typename T>
void copy(const poplar::Target &, const T *src, std::size_t count, const poplar::Type &dstType,
          void *dst) {
  poplar::convertToDeviceType(dstType, poplar::ArrayRef<T>(src, count), dst);
}
/// Copies numbers of type \p srcType from host memory, and converts them. Throws as
/// poplar::convertFromDeviceType() does.
template <typename T>
void copy(const poplar::Target &, const poplar::Type &srcType, const void *src, T *dst,
          std::size_t count) {
  poplar::convertFromDeviceType(srcType, src, poplar::ArrayRef<T>(dst, count));
}

///@{

/// Copies numbers to or from quarters, which have \p metadata.
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
///@}

namespace detail {
template <typename C> auto count(const C &c, int) -> decltype(c.num_elements()) {
  return c.num_elements(); // size() of a boost::multi_array counts rows
}
template <typename C> auto count(const C &c, long) -> decltype(c.size()) { return c.size(); }
} // namespace detail

///@{

/// Copies all elements of a std::vector or a boost::multi_array.
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
///@}

///@{

/// Copies all elements of several arrays, each to or from a memory of its own.
template <typename Container, typename = decltype(std::declval<const Container &>().data())>
void copy(const poplar::Target &target, const poplar::Type &dstType,
          const std::vector<Container> &src, const std::vector<std::unique_ptr<char[]>> &dst) {
  for (std::size_t i = 0; i < src.size(); ++i)
    copy(target, src[i], dstType, dst[i].get());
}
template <typename Container, typename = decltype(std::declval<Container &>().data())>
void copy(const poplar::Target &target, const poplar::Type &srcType,
          const std::vector<std::unique_ptr<char[]>> &src, std::vector<Container> &dst) {
  for (std::size_t i = 0; i < dst.size(); ++i)
    copy(target, srcType, src[i].get(), dst[i]);
}
///@}

///@{

/// Copies all elements of a std::vector or a boost::multi_array to or from quarters.
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
///@}

} // namespace poplar_test
