"""Ends the processes that this process has started, even if this process is killed."""
import contextlib
import shutil
import subprocess

TIMEOUT = 60  # for a command that ends something [s]


def ending_with_parent(signal, command):
    """Returns the command, as a process to which the kernel sends a signal when its parent ends."""
    return ["setpriv", "--pdeathsig", signal, *command] if shutil.which("setpriv") else list(command)


@contextlib.contextmanager
def afterwards(*command):
    """Executes a command when the block ends, or when this process is killed within the block. A shell waits for the end of a
    pipe, which the kernel closes in both cases."""
    waiting = subprocess.Popen(["sh", "-c", 'read -r _; exec "$@"', "sh", *command], stdin=subprocess.PIPE, stdout=subprocess.DEVNULL,
                               stderr=subprocess.DEVNULL, start_new_session=True)
    try:
        yield
    finally:
        waiting.stdin.close()
        with contextlib.suppress(subprocess.TimeoutExpired):
            waiting.wait(TIMEOUT)
