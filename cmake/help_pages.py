#!/usr/bin/env python3
"""Writes manual pages, and completions of bash and zsh, from what programs print for --help.

help_pages.py --bin FOLDER --version VERSION --output FOLDER PROGRAM...

Understands the help of CLI11 and of argparse: headings at the margin that end with a colon, and below them entries that
are indented by two or four columns, whose text may begin in the next line. A program whose help has commands (copse) is
asked for the help of each of them.
"""
import argparse
import collections
import pathlib
import re
import subprocess
import sys

Entry = collections.namedtuple("Entry", "names value text")
Help = collections.namedtuple("Help", "summary usage sections examples")

HEADING = re.compile(r"^(\w[\w ,]*):$")
OPTION = re.compile(r"^-{1,2}[\w?]")
OTHER_HEADINGS = ("Positionals", "positional arguments")


def help_of(command):
    done = subprocess.run([*command, "--help"], capture_output=True, text=True, timeout=120, check=True)
    return done.stdout


def entry_of(line, following):
    """Returns an entry from its line and the more deeply indented lines below it."""
    parts = re.split(r"\s{2,}", line.strip(), maxsplit=1)
    head, text = parts[0], parts[1] if len(parts) == 2 else ""
    for needs in (" Excludes:", " Needs:", " (Env:"):
        head = head.split(needs)[0]
    if len(parts) == 1 and not following:  # CLI11: a long head with one blank behind it
        match = re.match(r"^(\S+(?: (?:TEXT|INT|UINT|FLOAT|NUMBER)\S*)?(?: \.\.\.)?)(?: REQUIRED)?(?: (.*))?$", head)
        if match:
            head, text = match[1], match[2] or ""
    text = " ".join([text, *following]).strip()
    names = [re.match(r"-{1,2}[\w-]*", word)[0] for word in re.split(r"[ ,]+", head) if OPTION.match(word)]
    values = [word for word in re.split(r"[ ,]+", head) if word and not OPTION.match(word) and word != "..."]
    if not names:
        names, values = [head.split()[0]], values[1:]
    return Entry(names, values[0] if values else "", text)


def parse(text):
    """Makes a Help from the text of --help."""
    summary, usage, examples, sections, section = [], [], [], [], None
    lines = text.rstrip("\n").split("\n")
    i = 0
    while i < len(lines):
        line = lines[i]
        i += 1
        heading = HEADING.match(line)
        if line.lower().startswith("usage:"):
            usage.append(line[len("usage:") :].strip())
            while i < len(lines) and lines[i].startswith("  ") and section is None and not OPTION.match(lines[i].strip()):
                usage.append(lines[i].strip())
                i += 1
        elif heading and heading[1] == "Examples":
            while i < len(lines):
                examples.append(lines[i])
                i += 1
        elif heading:
            section = (heading[1], [])
            sections.append(section)
        elif re.match(r"^ {2,4}\S", line) and (section or OPTION.match(line.strip())):
            if section is None:  # options without a heading, as popc's
                section = ("Options", [])
                sections.append(section)
            indent = len(line) - len(line.lstrip())
            following = []
            while i < len(lines) and len(lines[i]) - len(lines[i].lstrip()) > indent + 2:
                following.append(lines[i].strip())
                i += 1
            section[1].append(entry_of(line, following))
        elif line.strip() and section is None:
            summary.append(line.strip())
    return Help(" ".join(summary), " ".join(usage), sections, examples)


def options_of(description):
    return [e for title, entries in description.sections for e in entries if OPTION.match(e.names[0])]


def commands_of(description):
    return [
        e
        for title, entries in description.sections
        if title not in OTHER_HEADINGS
        for e in entries
        if not OPTION.match(e.names[0]) and re.fullmatch(r"[a-z][\w-]*", e.names[0])
    ]


def roff(text):
    text = text.replace("\\", "\\e").replace("-", "\\-")
    return "\\&" + text if text.startswith((".", "'")) else text


def manual_page(name, description, text, version, commands):
    one_line = description.summary or name
    one_line = one_line.removeprefix(f"{name}:").strip().rstrip(".")
    lines = [
        f'.TH "{roff(name.upper())}" "1" "" "Copse {version}" "Copse"',
        ".SH NAME",
        f"{roff(name)} \\- {roff(one_line)}",
        ".SH SYNOPSIS",
        roff(re.sub(r"^\S*/", "", description.usage) or name),
        ".SH DESCRIPTION",
        ".nf",
        *(roff(line) for line in text.rstrip("\n").split("\n")),
        ".fi",
    ]
    for command, page in commands:
        lines += [f".SH COMMAND {roff(command.upper())}", ".nf", *(roff(line) for line in page.rstrip("\n").split("\n")), ".fi"]
    return "\n".join(lines) + "\n"


def words_of(description):
    return [name for option in options_of(description) for name in option.names]


def bash_completion(name, description, commands):
    """Completes options, commands, and the options of a command; files everywhere else."""
    function = "_copse_" + re.sub(r"\W", "_", name)
    known = " ".join(words_of(description) + [command for command, _ in commands])
    lines = [f"{function}() {{", '  local word=${COMP_WORDS[COMP_CWORD]} i known', f"  known='{known}'"]
    if commands:
        lines += ["  for ((i = 1; i < COMP_CWORD; i++)); do", "    case ${COMP_WORDS[i]} in"]
        for command, its in commands:
            lines.append(f"      {command}) known='{' '.join(words_of(its))}'; break ;;")
        lines += ["    esac", "  done"]
    lines += [
        '  COMPREPLY=($(compgen -W "$known" -- "$word"))',
        "}",
        f"complete -o default -F {function} {name}",
    ]
    return "\n".join(lines) + "\n"


def zsh_text(text):
    return re.sub(r"([\[\]:'\\])", lambda m: "'\\''" if m[1] == "'" else "\\" + m[1], " ".join(text.split()))


def zsh_arguments(description):
    specs = []
    for option in options_of(description):
        for name in option.names:
            value = ":value:_files" if option.value else ""
            specs.append(f"'{name}[{zsh_text(option.text)}]{value}'")
    return specs + ["'*:file:_files'"]


def zsh_completion(name, description, commands):
    lines = [f"#compdef {name}"]
    if not commands:
        return "\n".join(lines + ["_arguments \\", "  " + " \\\n  ".join(zsh_arguments(description))]) + "\n"
    lines += ["if (( CURRENT == 2 )); then", "  local -a commands=("]
    texts = {e.names[0]: e.text for e in commands_of(description)}
    lines += [f"    '{command}:{zsh_text(texts[command])}'" for command, _ in commands]
    lines += ["  )", "  _describe command commands", "  return", "fi", "local command=$words[2]", "shift words", "(( CURRENT-- ))"]
    lines += ["case $command in"]
    for command, its in commands:
        lines += [f"  {command}) _arguments \\", "      " + " \\\n      ".join(zsh_arguments(its)) + " ;;"]
    lines += ["  *) _files ;;", "esac"]
    return "\n".join(lines) + "\n"


def described(path):
    """Returns the text of --help, parsed, and the parsed help of each command."""
    text = help_of([path]).replace(str(path), path.name)
    description = parse(text)
    commands = []
    for entry in commands_of(description) if path.name == "copse" else []:
        page = help_of([path, entry.names[0]]).replace(str(path), path.name)
        commands.append((entry.names[0], page))
    return text, description, commands


def main():
    parser = argparse.ArgumentParser(description="Writes manual pages and completions from --help.")
    parser.add_argument("--bin", type=pathlib.Path, required=True)
    parser.add_argument("--version", required=True)
    parser.add_argument("--output", type=pathlib.Path, required=True)
    parser.add_argument("programs", nargs="+")
    arguments = parser.parse_args()
    share = arguments.output / "share"
    manual, bash, zsh = share / "man/man1", share / "bash-completion/completions", share / "zsh/vendor-completions"
    for folder in (manual, bash, zsh):
        folder.mkdir(parents=True, exist_ok=True)
    for name in arguments.programs:
        text, description, pages = described(arguments.bin / name)
        if not options_of(description):
            sys.exit(f"help_pages.py: {name} --help lists no options")
        commands = [(command, parse(page)) for command, page in pages]
        (manual / f"{name}.1").write_text(manual_page(name, description, text, arguments.version, pages))
        (bash / name).write_text(bash_completion(name, description, commands))
        (zsh / f"_{name}").write_text(zsh_completion(name, description, commands))


if __name__ == "__main__":
    main()
