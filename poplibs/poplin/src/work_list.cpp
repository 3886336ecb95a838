#include "work_list.hpp"

#include "poplin/ConvUtil.hpp"

#include <algorithm>

namespace poplin {
namespace {

using plan::Cell;
using plan::Range;

/// One output element and the input element that it meets, in one dimension.
struct Meeting {
  int out, in;
};
/// For each kernel element of the cell, in one dimension.
using Meetings = std::vector<std::vector<Meeting>>;

Meetings meetingsOf(const ConvParams &params, const Cell &cell, unsigned dim, Range &box) {
  Meetings meetings(cell.kernel[dim].size());
  std::size_t first = params.inputFieldShape[dim], last = 0;
  for (std::size_t k = 0; k != meetings.size(); ++k)
    for (std::size_t o = cell.field[dim].begin; o != cell.field[dim].end; ++o) {
      const unsigned in = getInputIndex(dim, static_cast<unsigned>(o),
                                        static_cast<unsigned>(cell.kernel[dim].begin + k), params);
      if (in == ~0U)
        continue;
      meetings[k].push_back({static_cast<int>(o - cell.field[dim].begin), static_cast<int>(in)});
      first = std::min<std::size_t>(first, in);
      last = std::max<std::size_t>(last, in + 1U);
    }
  box = first < last ? Range{first, last} : Range{0, 1};
  for (auto &list : meetings)
    for (Meeting &meeting : list)
      meeting.in -= static_cast<int>(box.begin);
  return meetings;
}

class Builder {
public:
  Builder(const ConvParams &params, const Cell &cell) : cell_(cell) {
    list_.inputField.resize(params.getNumFieldDims());
    for (unsigned d = 0; d != params.getNumFieldDims(); ++d)
      meetings_.push_back(meetingsOf(params, cell, d, list_.inputField[d]));
  }
  WorkList build() {
    forKernel(0, 0, {});
    return std::move(list_);
  }

private:
  void forKernel(unsigned dim, int element, std::vector<const std::vector<Meeting> *> meetings) {
    if (dim == meetings_.size()) {
      runStart_ = list_.runs.size();
      forPixels(element, meetings, 0, 0, 0, cell_.batch.size());
      return;
    }
    for (std::size_t k = 0; k != meetings_[dim].size(); ++k) {
      auto inner = meetings;
      inner.push_back(&meetings_[dim][k]);
      forKernel(dim + 1, element * static_cast<int>(meetings_[dim].size()) + static_cast<int>(k),
                inner);
    }
  }

  /// \param batch  items if no dimension has been entered yet, else 0
  void forPixels(int element, const std::vector<const std::vector<Meeting> *> &meetings,
                 unsigned dim, int out, int in, std::size_t batch) {
    if (dim == 0 && batch != 0) {
      for (std::size_t b = 0; b != batch; ++b)
        forPixels(element, meetings, 0, static_cast<int>(b), static_cast<int>(b), 0);
      return;
    }
    const int outBase = out * static_cast<int>(cell_.field[dim].size());
    const int inBase = in * static_cast<int>(list_.inputField[dim].size());
    for (const Meeting &meeting : *meetings[dim])
      if (dim + 1 == meetings.size())
        add(element, outBase + meeting.out, inBase + meeting.in);
      else
        forPixels(element, meetings, dim + 1, outBase + meeting.out, inBase + meeting.in, 0);
  }

  /// Makes the last run longer if this pixel goes on where it ends.
  void add(int element, int out, int in) {
    auto &runs = list_.runs;
    if (runs.size() != runStart_) {
      int *const run = &runs[runs.size() - 6];
      if (run[5] == 1) {
        run[2] = out - run[1];
        run[4] = in - run[3];
        run[5] = 2;
        return;
      }
      if (run[1] + run[5] * run[2] == out && run[3] + run[5] * run[4] == in) {
        ++run[5];
        return;
      }
    }
    runs.insert(runs.end(), {element, out, 0, in, 0, 1});
  }

  const Cell &cell_;
  std::vector<Meetings> meetings_;
  WorkList list_;
  std::size_t runStart_ = 0; ///< where the runs of the present kernel element begin
};

} // namespace

WorkList workListOf(const ConvParams &params, const Cell &cell) {
  return Builder(params, cell).build();
}

} // namespace poplin
