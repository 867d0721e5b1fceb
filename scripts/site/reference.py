"""Pages that follow from the program's own tables, from the schemas and from the headers."""
import json
import re
import subprocess


def say(program, *words):
    return subprocess.run([program, *words], check=True, text=True, stdout=subprocess.PIPE).stdout


def block(text):
    return f"```\n{text.rstrip()}\n```\n"


def verbs(program):
    """A page of each verb: its help."""
    text = say(program, "--help")
    out = {}
    for name, summary in re.findall(r"^  ([a-z]+)  +(\S.*)$", text, re.M):
        out[f"reference/verbs/{name}.md"] = f"# sotto {name}\n{summary[0].upper()}{summary[1:]}.\n\n" \
            f"`sotto {name} --help` prints:\n{block(say(program, name, '--help'))}"
    return out


def methods(program):
    """A page of each method: what the list says of it, and its options."""
    out = {}
    for m in json.loads(say(program, "methods", "--json"))["methods"]:
        facts = f"| situation | {m['situation']} |\n|---|---|\n| parties | {m['topology'].replace('-', ' ')} |\n| source | {m['source']} |\n"
        name = m["name"].replace("+", "-plus")
        summary = m["summary"][0].upper() + m["summary"][1:]
        out[f"reference/methods/{name}.md"] = f"# Options of {m['name']}\n{summary}.\n\n{facts}\n" \
            f"`sotto train --method {m['name']} --help all` prints:\n{block(say(program, 'train', '--method', m['name'], '--help', 'all'))}"
    return out


def headers(root):
    """A page of each public header, which Breathe fills."""
    out = {}
    for path in sorted((root / "include" / "sotto").glob("*.h")):
        out[f"reference/library/{path.stem}.md"] = f"# sotto/{path.name}\n```{{doxygenfile}} {path.name}\n:project: sotto\n```\n"
    return out


def rows(schema, prefix=""):
    """A row for each member that a schema describes."""
    for name, of in schema.get("properties", {}).items():
        kind = of.get("type", "")
        kind = " or ".join(kind) if isinstance(kind, list) else kind
        values = ", ".join(f"`{json.dumps(v)}`" for v in of.get("enum", []))
        text = " ".join(filter(None, [of.get("description", ""), f"One of {values}." if values else ""]))
        yield f"| `{prefix}{name}` | {kind} | {'yes' if name in schema.get('required', []) else 'no'} | {text.replace('|', '&#124;')} |"
        yield from rows(of, f"{prefix}{name}.")
        if isinstance(of.get("items"), dict):
            yield from rows(of["items"], f"{prefix}{name}[].")


def schemas(root):
    """A page of each JSON schema in docs/."""
    out = {}
    for path in sorted((root / "docs").glob("*.schema.json")):
        schema = json.loads(path.read_text(encoding="utf-8"))
        name = path.name[:-len(".schema.json")]
        table = "| member | type | required | meaning |\n|---|---|---|---|\n" + "\n".join(rows(schema))
        out[f"reference/schemas/{name}.md"] = f"# Schema: {schema['title']}\n{schema.get('description', '')}\n\n" \
            f"The schema for programs is `docs/{path.name}` of the source.\n\n{table}\n"
    return out


def pages(root, program):
    """All pages: path in the stage, and text."""
    return {**verbs(program), **methods(program), **headers(root), **schemas(root)}
