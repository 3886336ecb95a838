// Vertices that sort rows where they are: a heap needs no memory besides.
#include "worker_part.hpp"

#include <poplar/HalfFloat.hpp>
#include <poplar/Vertex.hpp>

namespace popops {

namespace {

/// Returns true if \p a comes first. Equal keys come in the order of their values, if they have
/// any.
template <typename K> bool before(K a, K b, bool descending) { return descending ? b < a : a < b; }

template <typename K> void sortKeys(K *keys, unsigned n, bool descending) {
  std::sort(keys, keys + n, [descending](K a, K b) { return before(a, b, descending); });
}

template <typename K, typename V> class Pairs {
public:
  Pairs(K *keys, V *values, bool descending)
      : keys_(keys), values_(values), descending_(descending) {}

  void sort(unsigned n) {
    for (unsigned i = n / 2; i-- != 0;)
      sink(i, n);
    for (unsigned last = n; last-- > 1;) {
      swap(0, last);
      sink(0, last);
    }
  }

private:
  bool isBefore(unsigned a, unsigned b) const {
    if (before(keys_[a], keys_[b], descending_))
      return true;
    return !before(keys_[b], keys_[a], descending_) && values_[a] < values_[b];
  }
  void swap(unsigned a, unsigned b) {
    const K key = keys_[a];
    keys_[a] = keys_[b];
    keys_[b] = key;
    const V value = values_[a];
    values_[a] = values_[b];
    values_[b] = value;
  }
  void sink(unsigned i, unsigned n) {
    for (;;) {
      unsigned child = 2 * i + 1;
      if (child >= n)
        return;
      if (child + 1 < n && isBefore(child, child + 1))
        ++child;
      if (!isBefore(i, child))
        return;
      swap(i, child);
      i = child;
    }
  }

  K *keys_;
  V *values_;
  bool descending_;
};

} // namespace

template <typename K> class SortRows : public poplar::MultiVertex {
public:
  poplar::InOut<poplar::Vector<K, poplar::VectorLayout::SPAN>> keys;
  unsigned length;
  bool descending;

  bool compute(unsigned worker) {
    const poplibs::WorkerPart part(keys.size() / length, worker, numWorkers(),
                                   poplibs::rowsOfWholeWords(length * sizeof(K)));
    for (unsigned row = part.begin; row < part.end; ++row)
      sortKeys(keys.data() + std::size_t(row) * length, length, descending);
    return true;
  }
};

template <typename K, typename V> class SortRowsWithValues : public poplar::MultiVertex {
public:
  poplar::InOut<poplar::Vector<K, poplar::VectorLayout::SPAN>> keys;
  poplar::InOut<poplar::Vector<V, poplar::VectorLayout::ONE_PTR>> values;
  unsigned length;
  bool descending;
  static constexpr unsigned kSmaller = sizeof(K) < sizeof(V) ? sizeof(K) : sizeof(V);

  bool compute(unsigned worker) {
    const poplibs::WorkerPart part(keys.size() / length, worker, numWorkers(),
                                   poplibs::rowsOfWholeWords(length * kSmaller));
    for (unsigned row = part.begin; row < part.end; ++row)
      Pairs<K, V>(keys.data() + std::size_t(row) * length,
                  values.data() + std::size_t(row) * length, descending)
          .sort(length);
    return true;
  }
};

#define POPOPS_SORT(K)                                                                             \
  template class SortRows<K>;                                                                      \
  template class SortRowsWithValues<K, float>;                                                     \
  template class SortRowsWithValues<K, half>;                                                      \
  template class SortRowsWithValues<K, int>;                                                       \
  template class SortRowsWithValues<K, unsigned int>;
POPOPS_SORT(float)
POPOPS_SORT(half)
POPOPS_SORT(int)
POPOPS_SORT(unsigned int)

} // namespace popops
