#include "processor/code_page.hpp"
#include "processor/host_processor.hpp"
#include "processor/native_page.hpp"
#include "processor/translator/loop_emitter.hpp"
#include "processor/translator/region_emitter.hpp"

#include <memory>

namespace copse::ipud {
namespace {

/// A page's host code in its own memory, which is first writable and then executable.
class TranslatedPage final : public NativePage {
public:
  TranslatedPage(const CodePage &page, const Chip &chip, const std::vector<CodeRegion> &regions)
      : code_(sizeFor(page, regions), Xbyak::DontSetProtectRWE) {
    loops_.resize(page.loops.size());
    places_.assign(page.words.size() + 1, kNone);
    try {
      Constants constants;
      constants.emit(code_);
      emitLoops(page, chip, constants);
      for (const CodeRegion &region : regions)
        emitRegion(region, chip, constants);
      code_.setProtectModeRE();
      // The interpreter executes everything.
    } catch (const Xbyak::Error &) {
      loops_.assign(page.loops.size(), NativeLoop{});
      starts_.assign(starts_.size(), Start{});
    }
  }

private:
  /// Returns a generous size; memory is not touched before it is used.
  static std::size_t sizeFor(const CodePage &page, const std::vector<CodeRegion> &regions) {
    constexpr std::size_t kForIssue = 4096, kForLoop = 1024, kPage = 4096;
    std::size_t issues = 0;
    for (const CodeLoop &loop : page.loops)
      issues += loop.end - loop.first;
    for (const CodeRegion &region : regions)
      issues += region.issues.size();
    return (kForIssue * issues + kForLoop * (page.loops.size() + regions.size())) / kPage * kPage +
           2 * kPage;
  }

  void emitLoops(const CodePage &page, const Chip &chip, const Constants &constants) {
    for (std::size_t i = 0; i < page.loops.size(); ++i) {
      const LoopBody body(page, page.loops[i], chip);
      HostRegisters registers = assignHostRegisters(body);
      loops_[i] = body.describe();
      loops_[i].entry = LoopEmitter(code_, body, registers, constants).emit();
    }
  }

  void emitRegion(const CodeRegion &region, const Chip &chip, const Constants &constants) {
    HostRegisters registers = assignHostRegisters(region);
    RegionEmitter emitter(code_, region, registers, constants, chip);
    const NativeRegion::Entry entry = emitter.emit();
    for (std::size_t i = 0; i < region.issues.size(); ++i) {
      const bool leaves = region.controls[i].flow == Flow::Leave;
      places_[region.issues[i].word] = static_cast<std::uint16_t>(starts_.size());
      starts_.push_back({leaves ? nullptr : entry, emitter.starts()[i]});
    }
  }

  Xbyak::CodeGenerator code_;
};

} // namespace

bool canTranslate() { return hasWideVectors(); }

std::unique_ptr<NativePage> translatePage(const CodePage &page, const Chip &chip,
                                          std::span<const std::uint32_t> entries) {
  return std::make_unique<TranslatedPage>(page, chip, regionsOf(page, chip, entries));
}

} // namespace copse::ipud
