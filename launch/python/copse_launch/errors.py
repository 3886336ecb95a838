"""Errors that a user or an administrator can fix; commands print them and end with 1 or 2."""


class UsageError(Exception):
    """The command line makes no sense: exit code 2."""


class LaunchError(Exception):
    """Something in the world is not as it must be: exit code 1."""
