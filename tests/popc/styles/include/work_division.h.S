// Divide work between workers
#ifdef __IPU__
#include "support/TileConstants.hpp"

.macro DIVIDE_BY_WORKER SIZE WORKER_ID MSCRATCH NUM_REPS REM
  // vectors per worker: (SIZE * 0xAAAB) >> 18
  setzi $\MSCRATCH, 0xAAAB
  mul   $\NUM_REPS, $\SIZE, $\MSCRATCH
  shr   $\NUM_REPS, $\NUM_REPS, 18
  mul   $\MSCRATCH, $\NUM_REPS, CTXT_WORKERS
  sub   $\REM, $\SIZE, $\MSCRATCH
  cmpult $\MSCRATCH, $\WORKER_ID, $\REM
  add   $\NUM_REPS, $\NUM_REPS, $\MSCRATCH
.endm

.macro GET_WORKER_ID REG
  get $\REG, $WSR
  and $\REG, $\REG, CSR_W_WSR__CTXTID_M1__MASK
.endm
#endif
