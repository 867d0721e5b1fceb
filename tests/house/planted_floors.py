"""Small compiled trees with one fault each: scripts/floors.py must report that fault, and nothing else."""
import os
import subprocess
import sys
import tempfile

FLOORS = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "scripts", "floors.py")

# Two files of one folder may call each other; the program calls the library, which calls what it has names of alone.
CLEAN = {
    "src/base/a.c": "int b(void);\nint a(void);\nint a(void) { return b(); }\n",
    "src/base/b.c": "int a(void);\nint b(void);\nint b(void) { return a(); }\n",
    "src/dp/c.c": "int a(void);\nint elsewhere(void);\nint c(void);\nint c(void) { return a() + elsewhere(); }\n",
    "app/main.c": "int c(void);\nint main(void);\nint main(void) { return c(); }\n",
    "app/late.c": "int elsewhere(void);\nint elsewhere(void) { return 0; }\n",
    "docs/architecture.md": "# Rooms\n<!-- rooms: scripts/floors.py --picture -->\n<!-- end of rooms -->\n",
}
# What is planted, and the words that its one finding has.
FAULTS = {
    "three files in a cycle": (
        {"src/base/b.c": "int d(void);\nint b(void);\nint b(void) { return d(); }\n",
         "src/base/d.c": "int a(void);\nint d(void);\nint d(void) { return a(); }\n"},
        ["src/base/a: is in a cycle of 3 files", "src/base/a, src/base/b, src/base/d"]),
    "a table that a lower room reads by its name": (
        {"src/methods/registry.c": "int c(void);\nint table[1];\nint all(void);\nint all(void) { return c(); }\n",
         "src/dp/table.c": "extern int table[];\nint first(void);\nint first(void) { return table[0]; }\n"},
        ["src/dp/table.c: dp may not call methods (table of src/methods/registry.c)",
         "src/dp: is in a cycle of 2 folders"]),
    "two folders in a cycle, one way by an include": (
        {"src/base/x/e.c": "int f(void);\nint e(void);\nint e(void) { return f(); }\n", "src/base/x/e.h": "\n",
         "src/base/y/f.c": '#include "../x/e.h"\nint f(void);\nint f(void) { return 1; }\n'},
        ["src/base/x: is in a cycle of 2 folders"]),
    "a picture of other rooms": (
        {"docs/architecture.md": "<!-- rooms: scripts/floors.py --picture -->\n1 cellar\n<!-- end of rooms -->\n"},
        ["docs/architecture.md: its picture of rooms is not that of the code"]),
}


def compiled(root, files):
    for path, text in files.items():
        full = os.path.join(root, path)
        os.makedirs(os.path.dirname(full), exist_ok=True)
        with open(full, "w", encoding="utf-8") as file:
            file.write(text)
        if path.endswith(".c"):
            made = os.path.join(root, "build", "CMakeFiles", "program.dir", path + ".o")
            os.makedirs(os.path.dirname(made), exist_ok=True)
            subprocess.run([os.environ.get("SOTTO_CC", "cc"), "-c", full, "-o", made], check=True)


def look(root, *options):
    done = subprocess.run([sys.executable, "-B", FLOORS, "--root", root, "--quiet", *options], check=False,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    return done.returncode, done.stdout.decode()


def main():
    failures = 0

    def must(condition, what, output):
        nonlocal failures
        if not condition:
            failures += 1
            print(f"FAILED: {what}\n{output}")

    for what, (files, expected) in {"the tree without faults": ({}, []), **FAULTS}.items():
        with tempfile.TemporaryDirectory() as root:
            compiled(root, {**CLEAN, **files})
            if "docs/architecture.md" not in files:
                look(root, "--picture")
            status, output = look(root)
            lines = output.splitlines()
            found = all(any(words in line for line in lines) for words in expected)
            starts = {words.split(":")[0] for words in expected if ": " in words}
            must(found and len(lines) == len(starts) and status == (1 if expected else 0), what, output)
    with tempfile.TemporaryDirectory() as root:
        compiled(root, CLEAN)
        os.remove(os.path.join(root, "build", "CMakeFiles", "program.dir", "src", "dp", "c.c.o"))
        status, output = look(root)
        must(status == 1 and output.startswith("src/dp/c.c: 1 files have no object"), "a file that was not compiled", output)
    print(f"{len(FAULTS) + 2} trees, {failures} failures")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
