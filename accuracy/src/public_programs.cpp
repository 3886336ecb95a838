#include "public_programs.hpp"

#include "entries.hpp"
#include "figure_texts.hpp"
#include "numbers.hpp"

#include <nlohmann/json.hpp>
#include <set>
#include <stdexcept>

namespace copse::accuracy {
namespace {

PublicFigure readFigure(const nlohmann::json &entry) {
  refuseUnknown(entry,
                {"program", "machine", "name", "unit", "source", "published", "printed", "note"});
  PublicFigure figure;
  entry.at("program").get_to(figure.program);
  entry.at("machine").get_to(figure.machine);
  entry.at("name").get_to(figure.name);
  entry.at("unit").get_to(figure.unit);
  entry.at("source").get_to(figure.source);
  entry.at("published").get_to(figure.published);
  entry.at("printed").get_to(figure.printed);
  figure.note = entry.value("note", "");
  if (!(figure.published > 0 && figure.printed > 0))
    throw std::runtime_error("'published' and 'printed' must be greater than 0");
  return figure;
}

} // namespace

PublicPrograms readPublicPrograms(const std::string &text) {
  PublicPrograms programs;
  try {
    const auto all = nlohmann::json::parse(text);
    all.at("date").get_to(programs.date);
    for (const auto &entry : all.at("figures"))
      programs.figures.push_back(readFigure(entry));
  } catch (const std::exception &error) {
    throw std::runtime_error("figure " + std::to_string(programs.figures.size() + 1) + ": " +
                             error.what());
  }
  return programs;
}

PublicPrograms ownPublicPrograms() { return readPublicPrograms(publicProgramsText()); }

void writeSection(std::ostream &out, const PublicPrograms &programs) {
  std::set<std::string> names;
  for (const PublicFigure &each : programs.figures)
    names.insert(each.program);
  out << "\n## Public programs, unchanged\n\n"
      << names.size()
      << " public programs print these figures about themselves. They were built unchanged with an "
         "installed Copse, and run by hand on\n"
      << programs.date
      << ", with `copse run --clock modelled --host-time none` on the pod of the machine, and "
         "`--execution modelled` unless the note says\notherwise. They are not a part of Copse, so "
         "`copse accuracy` repeats what they printed, and the means do not count them.\n\n"
         "| program | machine | figure | published | printed here | difference | source, notes |\n"
         "|---|---|---|---|---|---|---|\n";
  for (const PublicFigure &each : programs.figures)
    out << "| " << each.program << " | " << each.machine << " | " << each.name << " | "
        << shortNumber(each.published) << ' ' << each.unit << " | " << shortNumber(each.printed)
        << " | " << percent(each.printed / each.published - 1) << " | " << each.source
        << (each.note.empty() ? "" : "; " + each.note) << " |\n";
}

} // namespace copse::accuracy
