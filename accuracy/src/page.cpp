#include "page.hpp"

#include "numbers.hpp"
#include "public_programs.hpp"

#include <algorithm>
#include <cstdio>
#include <iomanip>
#include <nlohmann/json.hpp>

namespace copse::accuracy {
namespace {

const char *nameOf(Standing standing) {
  switch (standing) {
  case Standing::Predicted:
    return "predicted";
  case Standing::Fitted:
    return "fitted";
  case Standing::Given:
    break;
  }
  return "given";
}

std::string summaryOf(const std::vector<Comparison> &comparisons) {
  const Errors errors = errorsOf(comparisons, Standing::Predicted);
  char text[160];
  std::snprintf(text, sizeof text,
                "%zu predicted figures: mean of the absolute errors %.1f %%, largest %.1f %%; %zu "
                "fitted, %zu given",
                errors.count, 100 * errors.mean, 100 * errors.largest,
                errorsOf(comparisons, Standing::Fitted).count,
                errorsOf(comparisons, Standing::Given).count);
  return text;
}

/// Returns the sources of the figures, each once, in the order of their first figure.
std::vector<std::string> sourcesOf(const std::vector<Comparison> &comparisons) {
  std::vector<std::string> sources;
  for (const Comparison &each : comparisons)
    if (std::ranges::find(sources, each.figure.source) == sources.end())
      sources.push_back(each.figure.source);
  return sources;
}

/// Returns the number by which the tables name a source, which leads to the list of sources.
std::string linkTo(const std::string &source, const std::vector<std::string> &sources) {
  const auto place = std::ranges::find(sources, source) - sources.begin();
  return "[" + std::to_string(place + 1) + "](#sources)";
}

} // namespace

void printTable(std::ostream &out, const std::vector<Comparison> &comparisons) {
  const std::string *group = nullptr;
  for (const Comparison &each : comparisons) {
    if (group == nullptr || *group != each.figure.group)
      out << each.figure.group << '\n';
    group = &each.figure.group;
    out << "  " << std::left << std::setw(58) << each.figure.name << std::right << std::setw(10)
        << shortNumber(each.figure.value) << std::setw(10) << shortNumber(each.modelled) << ' '
        << std::left << std::setw(8) << each.figure.unit << std::right << std::setw(9)
        << percent(each.error()) << "  " << nameOf(each.figure.standing) << '\n';
  }
  out << summaryOf(comparisons) << '\n';
}

void printJson(std::ostream &out, const std::vector<Comparison> &comparisons) {
  nlohmann::ordered_json rows = nlohmann::ordered_json::array();
  for (const Comparison &each : comparisons)
    rows.push_back({{"group", each.figure.group},
                    {"name", each.figure.name},
                    {"machine", each.figure.machine},
                    {"published", each.figure.value},
                    {"modelled", each.modelled},
                    {"unit", each.figure.unit},
                    {"error", each.error()},
                    {"standing", nameOf(each.figure.standing)},
                    {"source", each.figure.source},
                    {"note", each.figure.note}});
  out << rows.dump(2) << '\n';
}

void writePage(std::ostream &out, const std::vector<Comparison> &comparisons,
               const std::string &plot) {
  out << "# Accuracy of the modelled clock\n\n"
         "Every published figure that was found for IPU systems, beside what the modelled clock "
         "([timing-model.md](timing-model.md))\nsays for the same program. `copse accuracy "
         "--output docs/accuracy.md` writes this page; do not edit it.\n\n"
      << summaryOf(comparisons)
      << ".\n\n"
         "*Predicted*: no constant of the model was set by the figure. *Fitted*: a constant was "
         "set by it, as the note says. *Given*: the\nfigure is a constant of the model, or follows "
         "from one by the model's formula alone. Only predicted figures count in the means.\n"
         "Errors are signed: above 0, the model has more than was published. The list of sources "
         "is [below the tables](#sources).\n\n"
         "![errors of all figures]("
      << plot << ")\n";
  const std::vector<std::string> sources = sourcesOf(comparisons);
  const std::string *group = nullptr;
  for (const Comparison &each : comparisons) {
    const Figure &figure = each.figure;
    if (group == nullptr || *group != figure.group)
      out << "\n## " << figure.group
          << "\n\n| figure | machine | published | model | error | standing | source | note |\n"
             "|---|---|---|---|---|---|---|---|\n";
    group = &figure.group;
    out << "| " << figure.name << " | " << figure.machine << " | " << shortNumber(figure.value)
        << ' ' << figure.unit << " | " << shortNumber(each.modelled) << " | "
        << percent(each.error()) << " | " << nameOf(figure.standing) << " | "
        << linkTo(figure.source, sources) << " | " << figure.note << " |\n";
  }
  writeSection(out, ownPublicPrograms());
  out << "\n## Sources\n\n";
  for (std::size_t i = 0; i < sources.size(); ++i)
    out << i + 1 << ". " << sources[i] << '\n';
  out << "\n## Contribute a measurement\n\n"
         "Write a file of this form, look at it with `copse accuracy --figures FILE`, and send it. "
         "It becomes rows of this page when it lies in\n`accuracy/figures/`.\n\n"
         "```json\n"
         "{\n"
         "  \"group\": \"Links\",\n"
         "  \"source\": \"who measured, where it was published, SDK\",\n"
         "  \"figures\": [\n"
         "    {\n"
         "      \"name\": \"neighbours, both directions\", \"machine\": \"M2000, SDK 3.0\",\n"
         "      \"program\": \"ipuTraffic\", \"parameters\": {\"from\": 2, \"to\": 3},\n"
         "      \"value\": 423.3, \"unit\": \"Gb/s\", \"standing\": \"predicted\", \"note\": \"\"\n"
         "    }\n"
         "  ]\n"
         "}\n"
         "```\n\n"
         "`accuracy/src/programs.hpp` has the programs and their parameters. All take `pod`, "
         "`chip`, `clockMHz`, `topology` and `tiles`.\n";
}

} // namespace copse::accuracy
