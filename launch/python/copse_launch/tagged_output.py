"""Puts together the lines of each instance. mpirun reads what instances print in pieces, in turns, and puts a tag before each
piece, so a tag may come in the middle of a line of another instance."""
import collections
import re

TAG = re.compile(rb"\[1,(\d+)\]<std(?:out|err)>:")
LONGEST_TAG = 24


class TaggedOutput:
    """feed() takes what mpirun has written; it and end() return pairs of an instance (None: mpirun itself) and a line."""

    def __init__(self):
        self.owner = None
        self.rest = b""  # may be the beginning of a tag
        self.lines = collections.defaultdict(bytes)

    def feed(self, chunk):
        text, self.rest = self.rest + chunk, b""
        found = []
        while match := TAG.search(text):
            self._take(text[:match.start()], found)
            self.owner, text = int(match.group(1)), text[match.end():]
        bracket = text.rfind(b"[", max(0, len(text) - LONGEST_TAG))
        if bracket >= 0 and b"\n" not in text[bracket:]:
            text, self.rest = text[:bracket], text[bracket:]
        self._take(text, found)
        return found

    def end(self):
        found = []
        self._take(self.rest, found)
        return found + [(owner, line + b"\n") for owner, line in self.lines.items() if line]

    def _take(self, text, found):
        """Takes text behind the end of a line, which is mpirun's own unless a tag says otherwise."""
        while text:
            line, end, text = text.partition(b"\n")
            self.lines[self.owner] += line
            if end:
                found.append((self.owner, self.lines.pop(self.owner) + end))
                self.owner = None
