#pragma once

#include "compiler/executable_impl.hpp"
#include "profile/report_data.hpp"

#include <vector>

namespace copse::profile {

/// The compilation's part of a report. Only what the program brought counts as vertices and compute
/// sets, and only what one of its programs can reach; ReportData::programs are the steps of the
/// first IPU's image, index for index.
ReportData reportOfGraph(const poplar::Executable::Impl &executable);

/// Marks the compute sets of \p image that some program runs, itself or by calls. A report counts
/// these only.
std::vector<bool> reachableComputeSets(const wire::Image &image);

} // namespace copse::profile
