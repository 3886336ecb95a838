/* Tells which compressed pointers the target of this compilation has (User guide, 4.2). For C++ and
   for assembly. */
#ifndef POPLAR_AVAILABLE_V_TYPES_H
#define POPLAR_AVAILABLE_V_TYPES_H

#if defined(__IPU_ARCH_VERSION__)
#define VECTOR_AVAIL_SHORT_SPAN 1
#define VECTOR_AVAIL_SCALED_PTR128 1
#if __IPU_ARCH_VERSION__ == 1
#define VECTOR_AVAIL_SCALED_PTR32 1
#define VECTOR_AVAIL_SCALED_PTR64 1
#define VECTORLIST_AVAIL_DELTAN 1
#endif
#endif

#if defined(__ASSEMBLER__) && !defined(FUNCTION_IS_WORKER)
#define FUNCTION_IS_WORKER "ax,worker" /* flags of a section with code of workers */
#endif

#endif
