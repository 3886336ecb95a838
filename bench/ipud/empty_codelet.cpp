// Codelets as popc would generate them (wire/codelet_abi.hpp): one that does nothing, and one that
// works on 2 KiB of its tile's memory.
extern "C" {
extern const char __copseModuleInfo[];
const char __copseModuleInfo[] = "slotBits=21;cpu=x86-64";
bool emptyCodelet(void *, unsigned) { return true; }
bool workingCodelet(void *state, unsigned) {
  float *const data = static_cast<float *>(state);
  for (unsigned i = 1; i < 512; ++i)
    data[i] = data[i - 1] * 0.5f + 1.0f; // each waits for the last: some 3,000 processor cycles
  return true;
}
}
