/* Declarations of stack use (guide, 2.8.1 and 7.3.1). Native codelets run on a stack of the host, so that they
 * have no effect there; they are accepted for what the tile's tools make of them. */
#ifndef POPLAR_STACK_SIZE_DEFS_HPP
#define POPLAR_STACK_SIZE_DEFS_HPP

#if defined(__ASSEMBLER__)
.macro DEF_STACK_USAGE size function
.endm
.macro DEF_STACK_SIZE_OWN size function
.endm
.macro DEF_FUNC_CALL_PTRS caller functions:vararg
.endm
#else
#define DEF_STACK_USAGE(bytes, function)
#define DEF_STACK_SIZE_OWN(bytes, function)
#define DEF_FUNC_CALL_PTRS(caller, ...)
#endif

#endif
