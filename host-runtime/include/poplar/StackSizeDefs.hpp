/** \file
    Declarations of stack use (User guide, 2.8.1 and 7.3.1). Native codelets run on a stack of the
    host, so they have no effect there. In assembly they are directives of the assembler. */
#ifndef POPLAR_STACK_SIZE_DEFS_HPP
#define POPLAR_STACK_SIZE_DEFS_HPP

#if defined(__ASSEMBLER__)
/* Flags of a section with code of workers. */
#ifndef FUNCTION_IS_WORKER
#define FUNCTION_IS_WORKER "ax,worker"
#endif
#else
/** Declares the stack of a function and all that it calls [bytes]. */
#define DEF_STACK_USAGE(bytes, function)
/** Declares the stack of a function alone [bytes]. */
#define DEF_STACK_SIZE_OWN(bytes, function)
/** Declares the functions that a function calls through pointers. */
#define DEF_FUNC_CALL_PTRS(caller, ...)
#endif

#endif
