"""Errors that a user or an administrator can fix; commands print them and end with 1 or 2."""


class UsageError(Exception):
    """The command line is wrong: exit code 2."""


class LaunchError(Exception):
    """The command is right, but cannot be done, because of a host, a file or a program: exit code 1."""
