#include "processor/code_page.hpp"
#include "processor/host_processor.hpp"
#include "processor/native_loop.hpp"
#include "processor/translator/loop_emitter.hpp"

#include <memory>

namespace copse::ipud {
namespace {

/// A page's host code, in memory of its own: first written, then executable and no more written.
class TranslatedPage final : public NativePage {
public:
  TranslatedPage(const CodePage &page, const Chip &chip)
      : code_(sizeFor(page), Xbyak::DontSetProtectRWE) {
    loops_.resize(page.loops.size());
    try {
      emit(page, chip);
      code_.setProtectModeRE();
    } catch (const Xbyak::Error &) {
      loops_.assign(page.loops.size(), NativeLoop{}); // the interpreter does it all
    }
  }

private:
  /// Memory is not touched before it is used, so this may be generous.
  static std::size_t sizeFor(const CodePage &page) {
    constexpr std::size_t kForIssue = 4096, kForLoop = 1024, kPage = 4096;
    std::size_t issues = 0;
    for (const CodeLoop &loop : page.loops)
      issues += loop.end - loop.first;
    return (kForIssue * issues + kForLoop * page.loops.size()) / kPage * kPage + 2 * kPage;
  }

  void emit(const CodePage &page, const Chip &chip) {
    Constants constants;
    constants.emit(code_);
    for (std::size_t i = 0; i < page.loops.size(); ++i) {
      const LoopBody body(page, page.loops[i], chip);
      HostRegisters registers = assignHostRegisters(body);
      loops_[i] = body.describe();
      loops_[i].entry = LoopEmitter(code_, body, registers, constants).emit();
    }
  }

  Xbyak::CodeGenerator code_;
};

} // namespace

bool canTranslate() { return hasWideVectors(); }

std::unique_ptr<NativePage> translatePage(const CodePage &page, const Chip &chip) {
  return std::make_unique<TranslatedPage>(page, chip);
}

} // namespace copse::ipud
