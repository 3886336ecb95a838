// A codelet that does nothing, as popc would generate it (wire/codelet_abi.hpp).
extern "C" {
extern const char __copseModuleInfo[];
const char __copseModuleInfo[] = "slotBits=21;cpu=x86-64";
bool emptyCodelet(void *, unsigned) { return true; }
}
