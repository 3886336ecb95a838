#include "disk_cache/build_id.hpp"

#include <algorithm>
#include <cstring>
#include <link.h>
#include <span>
#include <string_view>

namespace copse::disk_cache {
namespace {

constexpr std::size_t kNoteAlign = 4;

std::size_t aligned(std::size_t bytes) {
  return (bytes + kNoteAlign - 1) / kNoteAlign * kNoteAlign;
}

std::string hexadecimal(std::span<const unsigned char> bytes) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::string text;
  for (const unsigned char byte : bytes) {
    text += kDigits[byte >> 4];
    text += kDigits[byte & 15];
  }
  return text;
}

/// Returns the GNU build id in the notes of one segment; empty if there is none.
std::string buildIdIn(std::span<const unsigned char> notes) {
  while (notes.size() >= sizeof(ElfW(Nhdr))) {
    ElfW(Nhdr) note{};
    std::memcpy(&note, notes.data(), sizeof note);
    const std::size_t name = sizeof note, description = name + aligned(note.n_namesz),
                      next = description + aligned(note.n_descsz);
    if (next > notes.size())
      break;
    const bool gnu = note.n_namesz == sizeof ELF_NOTE_GNU &&
                     std::memcmp(notes.data() + name, ELF_NOTE_GNU, sizeof ELF_NOTE_GNU) == 0;
    if (gnu && note.n_type == NT_GNU_BUILD_ID)
      return hexadecimal(notes.subspan(description, note.n_descsz));
    notes = notes.subspan(next);
  }
  return {};
}

struct Search {
  std::uintptr_t code = 0; ///< an address in the wanted object
  std::string found;
};

std::string buildIdOf(const dl_phdr_info &object) {
  for (const ElfW(Phdr) & segment : std::span(object.dlpi_phdr, object.dlpi_phnum)) {
    if (segment.p_type != PT_NOTE)
      continue;
    const auto *notes = reinterpret_cast<const unsigned char *>(object.dlpi_addr + segment.p_vaddr);
    if (std::string id = buildIdIn({notes, segment.p_memsz}); !id.empty())
      return id;
  }
  return {};
}

bool holds(const dl_phdr_info &object, std::uintptr_t code) {
  const std::span segments(object.dlpi_phdr, object.dlpi_phnum);
  return std::any_of(segments.begin(), segments.end(), [&](const ElfW(Phdr) & segment) {
    const std::uintptr_t begin = object.dlpi_addr + segment.p_vaddr;
    return segment.p_type == PT_LOAD && code >= begin && code - begin < segment.p_memsz;
  });
}

/// Examines one loaded object.
/// \returns 1, which ends the iteration, if it is the wanted one
int look(dl_phdr_info *object, std::size_t, void *data) {
  auto &search = *static_cast<Search *>(data);
  if (!holds(*object, search.code))
    return 0;
  search.found = buildIdOf(*object);
  return 1;
}

int append(dl_phdr_info *object, std::size_t, void *data) {
  *static_cast<std::string *>(data) += buildIdOf(*object) + ' ';
  return 0;
}

} // namespace

std::string buildId() {
  Search search{reinterpret_cast<std::uintptr_t>(&look), {}};
  ::dl_iterate_phdr(look, &search);
  return search.found;
}

std::string buildIdsOfProcess() {
  std::string all;
  ::dl_iterate_phdr(append, &all);
  return all;
}

} // namespace copse::disk_cache
