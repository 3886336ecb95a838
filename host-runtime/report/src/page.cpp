#include "report/page.hpp"

#include "compressed_text.hpp"
#include "figures.hpp"
#include "page_template.hpp"

#include "profile/profile_values.hpp"

#include <cassert>
#include <nlohmann/json.hpp>
#include <ostream>
#include <string_view>

namespace copse::report {

using Json = nlohmann::json;

namespace {

Json targetOf(const profile::TargetReport &target) {
  return {{"type", target.type},
          {"replicas", target.replicas},
          {"ipus", target.ipus},
          {"tilesPerIpu", target.tilesPerIpu},
          {"bytesPerTile", target.bytesPerTile},
          {"clockHz", target.clockHz}};
}

/// Returns the steps of the compiled program, to which other figures refer by number.
Json programsOf(const std::vector<profile::ProgramReport> &programs) {
  Json list = Json::array();
  for (const profile::ProgramReport &program : programs) {
    Json one{{"name", program.name}, {"type", profile::nameOf(program.type)}};
    if (!program.syncGroups.empty())
      one["syncGroups"] = program.syncGroups;
    list.push_back(std::move(one));
  }
  return list;
}

Json figuresOf(const NamedProfile &profile) {
  const profile::ReportData &data = *profile.data;
  return {{"name", profile.name},
          {"poplarVersion", data.poplarVersion},
          {"target", targetOf(data.target)},
          {"programs", programsOf(data.programs)},
          {"memory", memoryFigures(data)},
          {"execution", executionFigures(data)},
          {"exchange", exchangeFigures(data)}};
}

/// Converts names to UTF-8, which the page needs; names in a program may be any bytes.
std::string textOf(std::span<const NamedProfile> profiles) {
  assert(!profiles.empty() && profiles.size() <= 2);
  Json all = Json::array();
  for (const NamedProfile &profile : profiles)
    all.push_back(figuresOf(profile));
  return Json{{"profiles", std::move(all)}}.dump(-1, ' ', false, Json::error_handler_t::replace);
}

} // namespace

void writeFigures(std::ostream &out, std::span<const NamedProfile> profiles) {
  out << textOf(profiles) << '\n';
}

void writePage(std::ostream &out, std::span<const NamedProfile> profiles) {
  constexpr std::string_view kPlace = "@figures@";
  const std::string_view page = pageTemplate();
  const std::size_t at = page.find(kPlace);
  assert(at != std::string_view::npos);
  out << page.substr(0, at) << compressedText(textOf(profiles)) << page.substr(at + kPlace.size());
}

} // namespace copse::report
