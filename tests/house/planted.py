"""Small trees with one fault each: scripts/house.py must report that fault, at its line, and nothing else."""
import os
import subprocess
import sys
import tempfile

HOUSE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "scripts", "house.py")



def entry(name, word=None):
    """A method's table entry."""
    return "const sotto_i_method sotto_i_method_%s = {\n    .name = \"%s\",\n};\n" % (word or name, name)


# A tree without faults. Comments and literals may say what code may not do.
CLEAN = {
    "include/sotto/base.h": "typedef int sotto_status;\n",
    "include/sotto/ledger.h": '#include "sotto/base.h"\n',
    "include/sotto/party.h": '#include "sotto/base.h"\n',
    "src/base/error.h": '#include "sotto/base.h"\n/* #include "run/train.h" is in a comment. */\n',
    "src/base/error.c": '#include "error.h"\nint f(int a) { return a == \'"\'; }\n',
    "src/dp/grid.c": '#include "base/error.h"\n#include "sotto/ledger.h"\n',
    "src/run/train.h": '#include "sotto/party.h"\n',
    "src/run/train.c": '#include "train.h"\nint gap = 0;\nint g(int best) { return best == gap; }\n',
    "src/methods/registry.c": '#include "methods/vesper/vesper.h"\n#include "methods/feddep/feddep.h"\n'
                              'const char *name = "gap";\n',
    "src/methods/vesper/vesper.h": '#include "run/train.h"\n',
    "src/methods/vesper/vesper.c": '#include "vesper.h"\nint sotto_i_vesper_run;\n' + entry("vesper"),
    "src/methods/gap/gap.c": "int sotto_i_gap_run;\n" + entry("gap"),
    "src/methods/mlp/mlp.c": "int sotto_i_vesper_run, sotto_i_mlp_run;\n" + entry("mlp"),  # a family
    "src/methods/vfgnn/vfgnn.c": entry("vfgnn"),
    "src/methods/feddep/plus.c": entry("fedsage+", "fedsage_plus"),
    "src/methods/federated/federated.h": '#include "base/error.h"\n',
    "src/methods/feddep/feddep.h": '#include "methods/federated/federated.h"\n',
    "app/cli/cli.h": "int help;\n",
    "app/cli/main.c": '#include "cli/cli.h"\n#include "sotto/party.h"\n'
                      'const char *example = "sotto train --method vesper";\n',
    "README.md": "A design of issues, papers and the work.\n",
}

LONG_FUNCTION = "int long_one(int a,\n             int b)\n{\n" + "  a += b; /* } */\n" * 56 + "  return a;\n}\n"
AT_LIMIT = LONG_FUNCTION.replace("  a += b; /* } */\n", "", 1)
TODAY = "TO" + "DO"

# What is planted: the files, and the findings (rule, path, line) that must come, no others.
FAULTS = {
    "a room uses a higher one": ({"src/dp/noise.c": '\n#include "run/train.h"\n'}, [("rooms", "src/dp/noise.c", 2)]),
    "a room uses the public header of a higher one": (
        {"src/dp/noise.c": "#include <sotto/party.h>\n"}, [("rooms", "src/dp/noise.c", 1)]),
    "a public header uses a higher one": (
        {"include/sotto/ledger.h": '#include "sotto/party.h"\n'}, [("rooms", "include/sotto/ledger.h", 1)]),
    "rooms on one line": (
        {"src/mpc/net.h": "\n", "src/nn/cost.c": '#include "mpc/net.h"\n'}, [("rooms", "src/nn/cost.c", 1)]),
    "nn uses run": ({"src/nn/net.c": '#include "run/train.h"\n'}, [("rooms", "src/nn/net.c", 1)]),
    "attacks use a method": (
        {"src/audit/lira.c": '#include "methods/vesper/vesper.h"\n'}, [("rooms", "src/audit/lira.c", 1)]),
    "a label for a kind of mechanism": (
        {"src/dp/account/curve.c": "int f(int a) { switch (a) { case SOTTO_MECHANISM_LAPLACE: return 1; } return 0; }\n"},
        [("mechanisms", "src/dp/account/curve.c", 1)]),
    "a kind of mechanism told apart above its room": (
        {"src/run/plan.c": "int f(int a) { return a != SOTTO_MECHANISM_LAPLACE; }\n"},
        [("mechanisms", "src/run/plan.c", 1)]),
    "a room that nobody listed": (
        {"src/cellar/wine.c": '#include "base/error.h"\n'}, [("rooms", "src/cellar/wine.c", 1)]),
    "a method uses another's folder": (
        {"src/methods/gap/more.c": '#include "methods/vesper/vesper.h"\n'}, [("families", "src/methods/gap/more.c", 1)]),
    "a second list of methods": (
        {"src/methods/list.c": '#include "methods/vesper/vesper.h"\n'}, [("families", "src/methods/list.c", 1)]),
    "two files in a cycle": (
        {"src/base/a.h": "\n", "src/base/b.h": "\n", "src/base/a.c": '#include "b.h"\n',
         "src/base/b.c": '\n#include "a.h"\n'},
        [("file-cycle", "src/base/a.c", 1), ("file-cycle", "src/base/b.c", 2)]),
    "two folders in a cycle": (
        {"src/base/x/a.h": "\n", "src/base/x/b.c": '#include "base/y/a.h"\n', "src/base/y/a.h": "\n",
         "src/base/y/b.c": '#include "base/x/a.h"\n'},
        [("folder-cycle", "src/base/x/b.c", 1), ("folder-cycle", "src/base/y/b.c", 1)]),
    "a tag that is defined twice": (
        {"src/dp/a.h": "typedef struct sotto_i_place {\n  int a;\n} sotto_i_place;\n",
         "src/run/b.h": "\ntypedef struct sotto_i_place {\n  int b;\n} sotto_i_place;\ntypedef struct place {\n  int c;\n} place;\n"},
        [("tags", "src/run/b.h", 2)]),
    "a method's name in the engine": (
        {"src/run/cost.c": '/* gap */\nint f(const char *m) { return strcmp(m, "gap"); }\n'},
        [("names", "src/run/cost.c", 2)]),
    "a method's name within a message": (
        {"src/run/cost.c": 'const char *m = "fedsage+: too many";\n'}, [("names", "src/run/cost.c", 1)]),
    "a method's name in another method": (
        {"src/methods/vesper/cost.c": 'const char *m = "mlp";\n'}, [("names", "src/methods/vesper/cost.c", 1)]),
    "a method's name in the program": (
        {"app/cli/run.c": '\nconst char *m = "vfgnn";\n'}, [("names", "app/cli/run.c", 2)]),
    "a comparison with an enumerator": (
        {"src/run/cost.c": "int f(int m) {\n  return m == SOTTO_METHOD_GAP;\n}\n"}, [("names", "src/run/cost.c", 2)]),
    "a case of an enumerator": (
        {"src/run/cost.c": "int f(int m) {\n  switch (m) {\n  case kind_vfgnn:\n    return 1;\n  }\n}\n"},
        [("names", "src/run/cost.c", 3)]),
    "a function's name in the engine": (
        {"src/run/cost.h": "\nint sotto_i_vfgnn_run(int a);\n"}, [("names", "src/run/cost.h", 2)]),
    "a question named after a method": (
        {"src/run/cost.c": "int f(int a) {\n  return sotto_i_vesper_as_paper(a);\n}\n"}, [("names", "src/run/cost.c", 2)]),
    "a function of a method whose name is a word": (
        {"src/run/cost.c": "int best, gap;\nint a = sotto_i_gap_run;\n"}, [("names", "src/run/cost.c", 2)]),
    "a method that was added": (
        {"src/methods/new/new.c": entry("kestrel"), "src/run/cost.c": "\n\nint kestrel_rounds;\n"},
        [("names", "src/run/cost.c", 3)]),
    "a private header in the program": (
        {"app/cli/run.c": '#include "run/private.h"\n', "src/run/private.h": "\n"}, [("public", "app/cli/run.c", 1)]),
    "a header of the library's base in the program": ({"app/cli/run.c": '#include "base/error.h"\n'}, []),
    "a function of 61 lines": (
        {"src/base/long.c": "#define F(x) {\\\n {\nint a;\n" + LONG_FUNCTION},
        [("function-size", "src/base/long.c", 4)]),
    "a function of 60 lines": ({"src/base/long.c": AT_LIMIT}, []),
    "a long function in a header for C++": (
        {"app/cli/long.h": 'extern "C" {\n' + LONG_FUNCTION + "}\n"}, [("function-size", "app/cli/long.h", 2)]),
    "a function of Python of 61 lines": (
        {"python/sotto/long.py": "\ndef f():\n    \"\"\"One\n    two.\"\"\"\n" + "    a = 1\n" * 60},
        [("function-size", "python/sotto/long.py", 2)]),
    "a function of Python of 60 lines": (
        {"python/sotto/long.py": "\ndef f():\n    \"\"\"One\n    two.\"\"\"\n" + "    a = 1\n" * 59}, []),
    "a flag in a message": (
        {"src/base/a.c": '\nconst char *text = "give --epsilon";\n'}, [("flags", "src/base/a.c", 2)]),
    "a terminal without cleaning": (
        {"app/cli/a.c": 'int f(int n) {\n  return printf("%d", n);\n}\n'}, [("printing", "app/cli/a.c", 2)]),
    "a stream of errors without cleaning": (
        {"app/cli/a.c": 'int f(int n) { return fprintf(stderr, "%d", n); }\n'}, [("printing", "app/cli/a.c", 1)]),
    "a file and a buffer are printed to": (
        {"app/cli/a.c": "int f(int n) { return fprintf(out, 0) + snprintf(t, 1, 0) + app_print(stderr, 0); }\n"}, []),
    "a document outside": ({"docs/a.md": "one\nsee DESI" + "GN section 4\n"}, [("words", "docs/a.md", 2)]),
    "a numbered rule": ({"src/base/a.c": "/* rule R" + "3 */\n"}, [("words", "src/base/a.c", 1)]),
    "a numbered paper": ({"bench/a.py": "# Paper 00" + "2\n"}, [("words", "bench/a.py", 1)]),
    "a folder of one machine": ({"a.sh": "cd /wor" + "k/main\n"}, [("words", "a.sh", 1)]),
    "a numbered issue": ({"docs/a.md": "as issue" + " 17 says\n"}, [("words", "docs/a.md", 1)]),
    "a document names a file that is gone": (
        {"docs/a.md": "See `src/base/error.c`\nand `src/base/gone.c` and tests/*/x.c.\n"}, [("paths", "docs/a.md", 2)]),
    "a link to a document that is gone": (
        {"docs/a.md": "[a](b.md) [c](../README.md#x) [d](https://d.example/e.md)\n"}, [("paths", "docs/a.md", 1)]),
    "work announced": ({"src/base/a.c": f"/* {TODAY} */\n"}, [("words", "src/base/a.c", 1)]),
}


def check(files, *options):
    with tempfile.TemporaryDirectory() as root:
        for path, text in files.items():
            full = os.path.join(root, path)
            os.makedirs(os.path.dirname(full), exist_ok=True)
            with open(full, "w", encoding="utf-8") as file:
                file.write(text)
        done = subprocess.run([sys.executable, "-B", HOUSE, "--root", root, *options], stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, check=False)
        return done.returncode, done.stdout.decode()


def main():
    failures = 0

    def must(condition, what, output):
        nonlocal failures
        if not condition:
            failures += 1
            print(f"FAILED: {what}\n{output}")

    status, output = check(CLEAN)
    must(status == 0 and output == "", "the tree without faults", output)
    for what, (files, expected) in FAULTS.items():
        status, output = check({**CLEAN, **files})
        lines = output.splitlines()
        starts = [(f"{path}:{line}: ", f" [{rule}]") for rule, path, line in expected]
        found = all(any(x.startswith(a) and x.endswith(b) for x in lines) for a, b in starts)
        must(found and len(lines) == len(expected) and status == (1 if expected else 0), what, output)

    with tempfile.TemporaryDirectory() as folder:
        known = os.path.join(folder, "known.txt")
        files, _ = FAULTS["a method's name in the engine"]
        with open(known, "w", encoding="utf-8") as file:
            file.write("# accepted\nnames src/run/cost.c\n")
        status, output = check({**CLEAN, **files}, "--known", known)
        must(status == 0 and output == "", "a known finding is accepted", output)
        status, output = check(CLEAN, "--known", known)
        must(status == 1 and "known.txt:2:" in output and "no longer occurs" in output, "a known finding that is gone",
             output)
        status, output = check({**CLEAN, **files}, "--write-known", known)
        with open(known, encoding="utf-8") as file:
            must(file.read().splitlines()[2:] == ["names src/run/cost.c"], "the list that is written", output)
    print(f"{len(FAULTS) + 4} trees, {failures} failures")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
