#!/usr/bin/python3
"""The documents as a site: build.py PROGRAM OUT.

Copies the Markdown files of the tree to OUT.stage as they are, adds the pages that follow from the program's own tables and from the
headers, and has Sphinx make OUT without any warning. Then every link and anchor within the site is looked up; addresses of other
sites are not fetched."""
import importlib.util
import os
import pathlib
import shutil
import subprocess
import sys
import time

import links
import reference
import stage

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
SITE = ROOT / "docs" / "site"
MODULES = ["sphinx", "myst_parser", "furo", "breathe"]


def missing():
    return shutil.which("doxygen") is None or any(importlib.util.find_spec(name) is None for name in MODULES)


def doxygen(work):
    """Reads the headers; the folder of the XML."""
    settings = (SITE / "Doxyfile").read_text(encoding="utf-8") + "\n".join([
        f'INPUT = "{ROOT / "include" / "sotto"}"', f'STRIP_FROM_PATH = "{ROOT / "include"}"', f'OUTPUT_DIRECTORY = "{work}"',
        f'INPUT_FILTER = "python3 -B {ROOT / "scripts" / "site" / "header_filter.py"}"', ""])
    work.mkdir(parents=True, exist_ok=True)
    subprocess.run(["doxygen", "-"], input=settings, text=True, check=True, stdout=subprocess.DEVNULL)
    return work / "xml"


def main():
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    if missing():
        packages = (SITE / "packages.txt").read_text(encoding="utf-8").split()
        sys.exit(f"the site needs packages that are not there: apt-get install {' '.join(packages)}")
    began = time.monotonic()
    program, out = pathlib.Path(sys.argv[1]).resolve(), pathlib.Path(sys.argv[2]).resolve()
    staged = out.with_name(out.name + ".stage")
    for folder in (out, staged):
        shutil.rmtree(folder, ignore_errors=True)
    pages = reference.pages(ROOT, program)
    stage.make(ROOT, staged, pages)
    version = subprocess.run([program, "--version"], check=True, text=True, stdout=subprocess.PIPE).stdout.split()[-1]
    env = dict(os.environ, SOTTO_VERSION=version, SOTTO_DOXYGEN=str(doxygen(staged.with_name(out.name + ".doxygen"))))
    made = subprocess.run([sys.executable, "-B", "-m", "sphinx", "-W", "--keep-going", "-q", "-b", "html", "-c", SITE, staged, out],
                          env=env, check=False)
    if made.returncode != 0:
        sys.exit("the site has warnings, which count as errors")
    found, count = links.broken(out)
    for text in found:
        print(text, file=sys.stderr)
    if found:
        sys.exit(f"{len(found)} links within the site lead nowhere")
    print(f"{out}/index.html: {len(list(out.rglob('*.html')))} pages and {count} links within the site, "
          f"in {time.monotonic() - began:.0f} s")


if __name__ == "__main__":
    main()
