"""Measures runs with the clocks of Python: timed_program.py LIBRARY."""
import asyncio
import ctypes
import sys
import threading
import time

timed = ctypes.CDLL(sys.argv[1])
timed.timed_cycles.restype = ctypes.c_ulong
timed.timed_load()
for clock in (time.perf_counter_ns, time.monotonic_ns, time.time_ns, time.process_time_ns):
    begin = clock()
    timed.timed_run()
    print(clock.__name__, clock() - begin)
print("cycles", timed.timed_cycles())


async def rest():
    await asyncio.sleep(0.02)


def measure(what, wait):
    begin = time.monotonic_ns()
    wait()
    print(what, time.monotonic_ns() - begin)


measure("sleep", lambda: time.sleep(0.01))
measure("event", lambda: threading.Event().wait(0.01))
measure("asyncio", lambda: asyncio.run(rest()))
timed.timed_end()
