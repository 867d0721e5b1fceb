#!/usr/bin/env python3
"""Man pages and shell completion, from what the program says of itself: manual.py PROGRAM FOLDER.

Reads `sotto --help`, `sotto VERB --help` and the options of all methods, and writes FOLDER/sotto-VERB.1, FOLDER/sotto.bash and
FOLDER/_sotto. Nothing is written that the program does not print, so neither can be out of date."""
import json
import os
import re
import shlex
import subprocess
import sys

EMULATOR = shlex.split(os.environ.get("SOTTO_EMULATOR", ""))


def say(program, *words):
    done = subprocess.run([*EMULATOR, program, *words], stdout=subprocess.PIPE, check=False, text=True)
    if done.returncode != 0:
        sys.exit(f"{program} {' '.join(words)}: ended with {done.returncode}")
    return done.stdout


class Help:
    """The parts of a help text: synopses, paragraphs, options with their texts, examples."""

    def __init__(self, text):
        self.usage, self.text, self.options, self.examples = [], [], [], []
        part, of_option = self.text, False
        for line in text.split("\n"):
            if line.startswith("usage: "):
                part = self.usage
                line = "       " + line[len("usage: "):]
            elif re.match(r"examples?\b.*:", line):
                part = self.examples
                if line.split(": ", 1)[1:]:
                    line = "  " + line.split(": ", 1)[1]
            elif part is self.usage and not line.startswith("     ") or part is self.examples and re.match(r"\S", line):
                part = self.text
            if part is self.text and re.match(r"  --\S", line):
                flag, _, rest = line.strip().partition("  ")
                self.options.append([flag.strip(), [rest.strip()]])
                of_option = True
            elif of_option and re.match(r" {6,}\S", line):
                self.options[-1][1].append(line.strip())
            else:
                of_option = False
                part.append(line)

    def flags(self):
        for line in self.usage:
            for name in re.findall(r"--[a-z][a-z0-9-]*", line):
                yield name, ""
        for flag, text in self.options:
            names = re.findall(r"--[a-z][a-z0-9-]*", flag)
            names += [name for line in text for name in re.findall(r"(?:^|; | {3,})(--[a-z][a-z0-9-]*) [A-Z]", line)]
            for name in names:
                yield name, " ".join(text)

    def forms(self, verb):
        """The words that may follow the verb: `init` of `sotto identity init ...`."""
        for line in self.usage:
            for form in re.findall(rf"sotto {verb} ((?:[a-z]+\|)*[a-z]+)\b", line):
                yield from form.split("|")


def roff(text):
    text = text.replace("\\", "\\e").replace("-", "\\-").replace("'", "\\(aq")
    return "\\&" + text if text[:1] in (".", "'") else text


def man_page(verb, version, summary, text, more):
    out = [f'.TH SOTTO\\-{verb.upper()} 1 "" "sotto {version}" "User Commands"', ".SH NAME",
           f"sotto\\-{verb} \\- {roff(summary)}", ".SH SYNOPSIS", ".nf"]
    out += [roff(line[7:]) for line in text.usage if line.strip()]
    out += [".fi", ".SH DESCRIPTION"]
    fill = True
    for line in text.text:
        if not line.strip():
            out += [".fi", ".PP"] if not fill else [".PP"]
            fill = True
            continue
        if line.startswith("  ") and fill:
            out.append(".nf")
            fill = False
        out.append(roff(line))
    out += [".fi"] if not fill else []
    for title, options in [("OPTIONS", text.options)] + more:
        if options:
            out.append(".SH " + title)
        for flag, lines in options:
            out += [".TP", ".B " + roff(flag), roff(" ".join(lines).strip()) or "\\&"]
    if any(line.strip() for line in text.examples):
        out += [".SH EXAMPLES", ".nf"] + [roff(line.strip()) for line in text.examples if line.startswith("  ")] + [".fi"]
    out += [".SH SEE ALSO", ".BR sotto (1)"]
    pruned = [line for at, line in enumerate(out) if not (line == ".PP" and out[at + 1].startswith((".PP", ".SH")))]
    pruned = [line for at, line in enumerate(pruned) if not (line == ".PP" and pruned[at - 1].startswith(".SH"))]
    return "\n".join(pruned) + "\n"


def choices(text):
    """The words that an option chooses among, where its text lists them before the default."""
    found = re.search(r": ([a-z0-9+-]+(?: [a-z0-9+-]+)+) \[([a-z0-9+-]+)(?:;[^\]]*)?\]$", text)
    return found.group(1) if found and found.group(2) in found.group(1).split() else None


def together(texts):
    """The texts of one option, by method, as one: what it is for, then each default with the methods that have it."""
    about, defaults = None, {}
    for method, text in texts.items():
        found = re.search(r"^(.*?)(?: \[([^\]]*)\])?$", text)
        about = about or found.group(1)
        defaults.setdefault(found.group(2), []).append(method)
    if len(defaults) == 1:
        return next(iter(texts.values()))
    return about + " [" + "] [".join(f"{default or 'none'} ({', '.join(of)})" for default, of in defaults.items()) + "]"


def bash(verbs, values):
    out = ["# bash completion for sotto. Made by scripts/manual.py.", "_sotto() {",
           "  local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD-1]} verb=${COMP_WORDS[1]} words=",
           "  COMPREPLY=()", '  if [ "$COMP_CWORD" -eq 1 ]; then',
           f"    mapfile -t COMPREPLY < <(compgen -W '{' '.join(verbs)} --help --version' -- \"$cur\")", "    return", "  fi",
           "  case $prev in"]
    out += [f"  {name}) words='{words}' ;;" for name, words in sorted(values.items())]
    out += ["  esac", '  if [ -z "$words" ]; then', "    case $verb,$cur in"]
    for verb, (_, flags, forms) in verbs.items():
        out.append(f"    {verb},-*) words='{' '.join(sorted(flags))}' ;;")
        if forms:
            out.append(f"    {verb},*) [ \"$COMP_CWORD\" -gt 2 ] || words='{' '.join(forms)}' ;;")
    out += ["    esac", "  fi", '  [ -z "$words" ] || mapfile -t COMPREPLY < <(compgen -W "$words" -- "$cur")', "}",
            "complete -o default -o bashdefault -F _sotto sotto"]
    return "\n".join(out) + "\n"


def zsh(verbs, values):
    def entry(name, text):
        text = re.sub(r"[`'\"\[\]\\$]", "", text)
        return f"'{name}:{text[:70]}'"
    out = ["#compdef sotto", "# zsh completion for sotto. Made by scripts/manual.py.", "_sotto() {", "  local -a verbs flags forms",
           "  verbs=(" + " ".join(entry(verb, summary) for verb, (summary, _, _) in verbs.items()) + ")",
           "  if (( CURRENT == 2 )); then", "    _describe verb verbs", "    return", "  fi",
           "  case ${words[CURRENT-1]} in"]
    out += [f"  {name}) compadd -- {words}; return ;;" for name, words in sorted(values.items())]
    out += ["  esac", "  case ${words[2]} in"]
    for verb, (_, flags, forms) in verbs.items():
        out.append(f"  {verb}) flags=(" + " ".join(entry(name, flags[name]) for name in sorted(flags)) + ")")
        out.append("    forms=(" + " ".join(forms) + ") ;;")
    out += ["  esac", "  if [[ ${words[CURRENT]} == -* ]]; then", "    _describe option flags", "  else",
            "    (( CURRENT == 3 )) && compadd -- $forms", "    _files", "  fi", "}", '_sotto "$@"']
    return "\n".join(out) + "\n"


def main():
    program, folder = sys.argv[1:]
    version = say(program, "--version").split()[1]
    os.makedirs(folder, exist_ok=True)
    names = dict(re.findall(r"^  ([a-z]+) {2,}(.*)$", say(program, "--help"), re.M))
    methods = [method["name"] for method in json.loads(say(program, "methods", "--json"))["methods"]]
    texts = {}
    for method in methods:
        for flag, lines in Help(say(program, "train", "--method", method, "--help", "all")).options:
            if " " not in flag: # options of methods have no placeholder, those of watching a run have
                texts.setdefault(flag, {})[method] = " ".join(lines)
    of_methods = {flag: [together(by_method)] for flag, by_method in texts.items()}
    values = {"--method": " ".join(methods)}
    verbs = {}
    for verb, summary in names.items():
        text = Help(say(program, verb, "--help", *(["all"] if verb == "train" else [])))
        more = []
        flags = {"--help": "options and an example"}
        flags.update(text.flags())
        if verb in ("train", "run"):
            own = {flag.split()[0] for flag, _ in text.options}
            text.options = [[flag, of_methods.get(flag, lines)] for flag, lines in text.options]
            rest = sorted((flag, lines) for flag, lines in of_methods.items() if flag not in own)
            more = [("OPTIONS OF METHODS", rest)]
            flags.update({flag: " ".join(lines) for flag, lines in rest})
            if verb == "run":
                predict = Help(say(program, "run", "predict", "--help"))
                more.append(("OPTIONS OF PREDICT", predict.options))
                flags.update(predict.flags())
            values.update({flag: words for flag, of in texts.items() if (words := choices(next(iter(of.values()))))})
        verbs[verb] = (summary, flags, list(dict.fromkeys(text.forms(verb))))
        with open(os.path.join(folder, f"sotto-{verb}.1"), "w", encoding="utf-8") as out:
            out.write(man_page(verb, version, summary, text, more))
    for name, content in (("sotto.bash", bash(verbs, values)), ("_sotto", zsh(verbs, values))):
        with open(os.path.join(folder, name), "w", encoding="utf-8") as out:
            out.write(content)


main()
