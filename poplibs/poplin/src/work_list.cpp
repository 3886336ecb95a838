#include "work_list.hpp"

#include "poplin/ConvUtil.hpp"

#include <algorithm>
#include <map>

namespace poplin {
namespace {

using plan::Cell;
using plan::Range;

/// A kernel element, and how far the input that it meets is from what the first element meets.
struct Tap {
  int element, offset;
  bool operator<(const Tap &other) const {
    return element != other.element ? element < other.element : offset < other.offset;
  }
};
/// An output element, and the input element that the first kernel element meets.
struct Meeting {
  int out, in;
};
/// The output elements that meet the same kernel elements.
using Classes = std::map<std::vector<Tap>, std::vector<Meeting>>;

/// Returns the classes of one dimension.
/// \param box  becomes the range of the input that the cell reads
Classes classesOf(const ConvParams &params, const Cell &cell, unsigned dim, Range &box) {
  Classes classes;
  std::size_t first = params.inputFieldShape[dim], last = 0;
  for (std::size_t o = cell.field[dim].begin; o != cell.field[dim].end; ++o) {
    std::vector<Tap> taps;
    Meeting meeting{static_cast<int>(o - cell.field[dim].begin), 0};
    for (std::size_t k = 0; k != cell.kernel[dim].size(); ++k) {
      const unsigned in = getInputIndex(dim, static_cast<unsigned>(o),
                                        static_cast<unsigned>(cell.kernel[dim].begin + k), params);
      if (in == ~0U)
        continue;
      if (taps.empty())
        meeting.in = static_cast<int>(in);
      taps.push_back({static_cast<int>(k), static_cast<int>(in) - meeting.in});
      first = std::min<std::size_t>(first, in);
      last = std::max<std::size_t>(last, in + 1U);
    }
    classes[taps].push_back(meeting);
  }
  box = first < last ? Range{first, last} : Range{0, 1};
  for (auto &[taps, meetings] : classes)
    if (!taps.empty())
      for (Meeting &meeting : meetings)
        meeting.in -= static_cast<int>(box.begin);
  return classes;
}

class Builder {
public:
  Builder(const ConvParams &params, const Cell &cell) : cell_(cell) {
    list_.inputField.resize(params.getNumFieldDims());
    for (unsigned d = 0; d != params.getNumFieldDims(); ++d)
      classes_.push_back(classesOf(params, cell, d, list_.inputField[d]));
  }
  WorkList build() {
    addClasses(0, {{0, 0}}, {});
    return std::move(list_);
  }

private:
  using OfDimensions = std::vector<const std::vector<Meeting> *>;

  /// Combines each class of the dimensions before \p dim with each class of the others.
  void addClasses(unsigned dim, const std::vector<Tap> &taps, const OfDimensions &meetings) {
    if (dim == classes_.size())
      return addClass(taps, meetings);
    const auto kernel = static_cast<int>(cell_.kernel[dim].size());
    const auto box = static_cast<int>(list_.inputField[dim].size());
    for (const auto &[ofDim, pixels] : classes_[dim]) {
      std::vector<Tap> all;
      for (const Tap &outer : taps)
        for (const Tap &inner : ofDim)
          all.push_back(
              {outer.element * kernel + inner.element, outer.offset * box + inner.offset});
      OfDimensions more = meetings;
      more.push_back(&pixels);
      addClasses(dim + 1, all, more);
    }
  }

  void addClass(const std::vector<Tap> &taps, const OfDimensions &meetings) {
    auto &numbers = list_.classes;
    const std::size_t begin = numbers.size();
    numbers.insert(numbers.end(), {static_cast<int>(taps.size()), 0});
    for (const Tap &tap : taps)
      numbers.insert(numbers.end(), {tap.element, tap.offset});
    runs_ = numbers.size();
    pixels_ = 0;
    for (std::size_t b = 0; b != cell_.batch.size(); ++b)
      addPixels(meetings, 0, static_cast<int>(b), static_cast<int>(b));
    numbers[begin + 1] = static_cast<int>((numbers.size() - runs_) / kRun);
    list_.meetings += taps.size() * pixels_;
  }

  void addPixels(const OfDimensions &meetings, unsigned dim, int out, int in) {
    if (dim == meetings.size())
      return add(out, in);
    const int outBase = out * static_cast<int>(cell_.field[dim].size());
    const int inBase = in * static_cast<int>(list_.inputField[dim].size());
    for (const Meeting &meeting : *meetings[dim])
      addPixels(meetings, dim + 1, outBase + meeting.out, inBase + meeting.in);
  }

  /// Extends the last run of the class if this pixel continues it.
  void add(int out, int in) {
    auto &numbers = list_.classes;
    ++pixels_;
    if (numbers.size() != runs_) {
      int *const run = &numbers[numbers.size() - kRun];
      if (run[4] == 1) {
        run[1] = out - run[0];
        run[3] = in - run[2];
        run[4] = 2;
        return;
      }
      if (run[0] + run[4] * run[1] == out && run[2] + run[4] * run[3] == in) {
        ++run[4];
        return;
      }
    }
    numbers.insert(numbers.end(), {out, 0, in, 0, 1});
  }

  static constexpr std::size_t kRun = 5; ///< numbers of a run

  const Cell &cell_;
  std::vector<Classes> classes_; ///< for each dimension
  WorkList list_;
  std::size_t runs_ = 0;     ///< where the runs of the present class begin
  std::uint64_t pixels_ = 0; ///< pixels of the current class
};

} // namespace

WorkList workListOf(const ConvParams &params, const Cell &cell) {
  return Builder(params, cell).build();
}

} // namespace poplin
