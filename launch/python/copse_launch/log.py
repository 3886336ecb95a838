"""Lines such as "10:10:50.154 1234 POPRUN [I] text" on standard error."""
import datetime
import os
import sys

LEVELS = {"E": 0, "W": 0, "I": 1, "D": 2}


class Log:
    def __init__(self, program, verbosity=0):
        self.program, self.verbosity = program, verbosity

    def write(self, level, text):
        if LEVELS[level] <= self.verbosity:
            time = datetime.datetime.now().strftime("%H:%M:%S.%f")[:-3]
            print(f"{time} {os.getpid()} {self.program} [{level}] {text}", file=sys.stderr, flush=True)

    def info(self, text):
        self.write("I", text)

    def debug(self, text):
        self.write("D", text)

    def warning(self, text):
        self.write("W", text)
