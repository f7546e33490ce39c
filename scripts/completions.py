#!/usr/bin/env python3
"""Writes shell completions and man pages from what the program says of its options.

    scripts/completions.py --tuner build/release/bin/tuner --to FOLDER

makes FOLDER/bash-completion/completions/tuner (bash sources it), FOLDER/zsh/site-functions/_tuner (zsh
finds it where $fpath has the folder), and FOLDER/man/man1/tuner.1 and tuner-COMMAND.1: the layout of
/usr/share, where an installation has them. The tables are the program's own, by `tuner help COMMAND`, so
nothing here has to be kept in step with it.
"""

import argparse
import dataclasses
import pathlib
import re
import subprocess

# What an option's value is: file names are completed by the shell.
FILES = {"--results", "--trace", "--replay", "--warm-start", "--from", "--csv", "--output", "--plugin-dir"}
# These are names that `tuner list KIND` tells.
KINDS = {"--strategy": "strategies", "--backend": "backends", "--format": "exporters"}
HEAD = re.compile(r"^  (?:(-\w) \[ (--[\w-]+) \]|(--[\w-]+))( arg(?: \(=([^)]*)\))?)?(?:\s+(.*))?$")


@dataclasses.dataclass
class Option:
    name: str
    short: str
    takes_value: bool
    default: str
    text: str


@dataclasses.dataclass
class Command:
    name: str
    summary: str
    usage: str = ""
    group: str = ""
    options: list = dataclasses.field(default_factory=list)
    examples: list = dataclasses.field(default_factory=list)  # (command line, what it does)


def said_by(tuner, *words):
    return subprocess.run([tuner, *words], capture_output=True, text=True, check=True).stdout


def options_in(text):
    options = []
    for line in text.split("\n"):
        head = HEAD.match(line)
        if head:
            short, long, only, value, default, rest = head.groups()
            options.append(Option(long or only, short or "", bool(value), default or "", (rest or "").strip()))
        elif options and line.startswith("     ") and line.strip():
            options[-1].text = f"{options[-1].text} {line.strip()}".strip()
    return options


def examples_in(text):
    lines = text.split("\n")
    return [(line.strip(), lines[i + 1].strip()) for i, line in enumerate(lines) if line.startswith("  tuner ")]


def commands_of(tuner):
    commands, group = [], ""
    for line in said_by(tuner, "--help").split("\n"):
        if line.endswith(":") and not line.startswith(" "):
            group = line[:-1]
        elif re.match(r"^  \S", line):
            name, summary = line.split(None, 1)
            commands.append(Command(name, summary, group=group))
    for command in commands:
        text, _, examples = said_by(tuner, "help", command.name).partition("\nexamples:\n")
        command.usage = text.split("\n\noptions", 1)[0].removeprefix("usage: ").strip()
        command.options = options_in(text)
        command.examples = examples_in(examples)
    return commands


def names_in(text):
    """What `tuner list KIND` lists: the first words of lines; options of each are indented."""
    return list(dict.fromkeys(line.split()[0] for line in text.split("\n") if re.match(r"\w", line)))


def values_of(tuner):
    """{option: names}; of `list`, which has no option for it: its kinds and what they have."""
    values = {option: names_in(said_by(tuner, "list", kind)) for option, kind in KINDS.items()}
    kinds = re.search(r"tuner list \[([\w|]+)\|NAME\]", said_by(tuner, "help", "list")).group(1).split("|")
    values["list"] = kinds + values["--strategy"] + values["--format"]
    return values


def bash_of(commands, values):
    out = ["# Completions of tuner for bash; made by scripts/completions.py.", "_tuner() {"]
    out.append("  local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD-1]}")
    names = " ".join(command.name for command in commands)
    out.append('  if [ "$COMP_CWORD" = 1 ] || [ "${COMP_WORDS[1]}" = help ]; then')
    out.append(f'    COMPREPLY=($(compgen -W "help {names}" -- "$word"))')
    out.append("    return")
    out.append("  fi")
    out.append("  case $before in")
    out += [f'    {option}) COMPREPLY=($(compgen -W "{" ".join(names)}" -- "$word")); [ ${{#COMPREPLY[@]}} = 0 ] || return ;;'
            for option, names in values.items()]
    out.append("  esac")
    out.append('  if [[ $word != -* || " ' + " ".join(sorted(FILES)) + ' " == *" $before "* ]]; then')
    out.append('    COMPREPLY=($(compgen -f -- "$word"))')
    out.append("    return")
    out.append("  fi")
    out.append('  case ${COMP_WORDS[1]} in')
    for command in commands:
        words = " ".join(option.name for option in command.options)
        out.append(f'    {command.name}) COMPREPLY=($(compgen -W "{words}" -- "$word")) ;;')
    out += ["  esac", "}", "complete -o filenames -F _tuner tuner", ""]
    return "\n".join(out)


def zsh_word(text):
    return re.sub(r"([\[\]:'])", r"\\\1", text).replace("\\'", "'\\''")


def zsh_of(commands, values):
    out = ["#compdef tuner", "# Completions of tuner for zsh; made by scripts/completions.py.", "_tuner() {"]
    out.append("  local -a commands=(")
    out += [f"    '{command.name}:{zsh_word(command.summary)}'" for command in commands]
    out += ["  )", "  if (( CURRENT == 2 )) || [[ $words[2] == help ]]; then", "    _describe command commands", "    return", "  fi"]
    out.append("  case $words[2] in")
    for command in commands:
        out.append(f"    {command.name})")
        out.append("      _arguments \\")
        for option in command.options:
            offered = f"({' '.join(values[option.name])})" if option.name in values else ""
            value = (":file:_files" if option.name in FILES else ":value:" + offered) if option.takes_value else ""
            out.append(f"        '{option.name}[{zsh_word(option.text)}]{value}' \\")
        rest = f"*:name:({' '.join(values['list'])})" if command.name == "list" else "*:file:_files"
        out.append(f"        '{rest}' ;;")
    out += ["  esac", "}", '_tuner "$@"', ""]
    return "\n".join(out)


def roff(text):
    text = text.replace("\\", "\\\\").replace("-", "\\-")
    return re.sub(r"(?m)^([.'])", r"\\&\1", text)


def man_of(command):
    title = f"TUNER-{command.name.upper()}"
    usage, _, more = command.usage.partition("\n\n")
    out = [f'.TH {title} 1', ".SH NAME", f"tuner-{command.name} \\- {roff(command.summary)}"]
    out += [".SH SYNOPSIS", "\n.br\n".join(roff(line.strip()) for line in usage.split("\n"))]
    if more:
        out += [".SH DESCRIPTION", roff(more)]
    out.append(".SH OPTIONS")
    for option in command.options:
        names = f"{option.short}, {option.name}" if option.short else option.name
        value = " VALUE" if option.takes_value else ""
        default = f" Default: {option.default}." if option.default else ""
        out += [".TP", f".B {roff(names + value)}", roff(option.text + default)]
    out.append(".SH EXAMPLES")
    for line, what in command.examples:
        out += [".TP", f".B {roff(line)}", roff(what)]
    out += [".SH SEE ALSO", "tuner(1)", ""]
    return "\n".join(out)


def main_page_of(tuner, commands):
    first, rest = said_by(tuner, "--help").split("\n", 1)
    out = [".TH TUNER 1", ".SH NAME", f"tuner \\- {roff(first.split(': ', 1)[-1])}"]
    out += [".SH SYNOPSIS", "tuner COMMAND [options]", ".SH COMMANDS"]
    group = None
    for command in commands:
        if command.group != group:
            out.append(f".SS {roff(command.group.capitalize())}")
            group = command.group
        out += [".TP", f".B {roff(command.name)}", roff(command.summary) + f"; tuner\\-{roff(command.name)}(1)"]
    out += [".SH EXIT STATUS", roff(rest[rest.index("Exit status") :].strip()), ""]
    return "\n".join(out)


def main():
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    arguments.add_argument("--tuner", required=True)
    arguments.add_argument("--to", required=True, type=pathlib.Path)
    given = arguments.parse_args()
    commands, values = commands_of(given.tuner), values_of(given.tuner)
    files = {"bash-completion/completions/tuner": bash_of(commands, values),
             "zsh/site-functions/_tuner": zsh_of(commands, values)}
    files["man/man1/tuner.1"] = main_page_of(given.tuner, commands)
    files.update({f"man/man1/tuner-{command.name}.1": man_of(command) for command in commands})
    for name, text in files.items():
        path = given.to / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    print(f"wrote {len(files)} files to {given.to}")


if __name__ == "__main__":
    main()
