/* Declarations of stack use (guide, 2.8.1 and 7.3.1). Native codelets run on a stack of the host, so that they
 * have no effect there. In assembly they are directives of the assembler. */
#ifndef POPLAR_STACK_SIZE_DEFS_HPP
#define POPLAR_STACK_SIZE_DEFS_HPP

#if defined(__ASSEMBLER__)
/* Flags of a section with code of workers. */
#ifndef FUNCTION_IS_WORKER
#define FUNCTION_IS_WORKER "ax,worker"
#endif
#else
#define DEF_STACK_USAGE(bytes, function)
#define DEF_STACK_SIZE_OWN(bytes, function)
#define DEF_FUNC_CALL_PTRS(caller, ...)
#endif

#endif
