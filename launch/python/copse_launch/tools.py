"""The programs of Copse that this one calls."""
import os
import shutil
import sys

from .errors import LaunchError


def tool(name):
    """Returns a program beside this one's command, else on the PATH."""
    beside = os.path.join(os.path.dirname(os.path.realpath(sys.argv[0])), name)
    found = beside if os.access(beside, os.X_OK) else shutil.which(name)
    if not found:
        raise LaunchError(f"the program {name} of Copse is neither beside this one nor on the PATH")
    return found
