#include "build_id.hpp"

#include <cstring>
#include <link.h>
#include <span>
#include <string_view>

namespace copse::engine {
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

/// The GNU build id among the notes of one segment; empty if it is not there.
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
  std::uintptr_t code = 0; ///< an address in the object that is looked for
  std::string found;
};

/// One loaded object.
/// \returns 1, to stop, if it is the one
int look(dl_phdr_info *object, std::size_t, void *data) {
  auto &search = *static_cast<Search *>(data);
  bool holdsCode = false;
  std::string id;
  for (const ElfW(Phdr) & segment : std::span(object->dlpi_phdr, object->dlpi_phnum)) {
    const std::uintptr_t begin = object->dlpi_addr + segment.p_vaddr;
    if (segment.p_type == PT_LOAD)
      holdsCode |= search.code >= begin && search.code - begin < segment.p_memsz;
    if (segment.p_type == PT_NOTE && id.empty())
      id = buildIdIn({reinterpret_cast<const unsigned char *>(begin), segment.p_memsz});
  }
  if (holdsCode)
    search.found = id;
  return holdsCode ? 1 : 0;
}

} // namespace

std::string buildId() {
  Search search{reinterpret_cast<std::uintptr_t>(&look), {}};
  ::dl_iterate_phdr(look, &search);
  return search.found;
}

} // namespace copse::engine
