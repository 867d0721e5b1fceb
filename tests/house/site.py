"""The parts of the site's scripts that need no packages; and every anchor that a document links to is a heading there."""
import pathlib
import re
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(ROOT / "scripts" / "site"))
import header_filter  # noqa: E402  pylint: disable=wrong-import-position
import links  # noqa: E402  pylint: disable=wrong-import-position
import reference  # noqa: E402  pylint: disable=wrong-import-position
import stage  # noqa: E402  pylint: disable=wrong-import-position

LINK = re.compile(r"\]\(([^)\s#:]*)#([^)\s]+)\)")


def check(what, good):
    if not good:
        sys.exit(f"FAILED: {what}")


def slugs(text):
    """Anchors of the headings, as forges and MyST make them."""
    text = re.sub(r"^```.*?^```", "", text, flags=re.S | re.M)
    out = set()
    for heading in re.findall(r"^#+ +(.*)$", text, re.M):
        heading = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading)
        slug = re.sub(r"[^\w\u4e00-\u9fff\- ]", "", heading.strip().lower()).replace(" ", "-")
        out.add(slug if slug not in out else f"{slug}-1")
    return out


def anchors(root):
    """Sentences about anchors that lead nowhere."""
    for path in stage.documents(root):
        for file, anchor in LINK.findall(path.read_text(encoding="utf-8")):
            target = (path.parent / file).resolve() if file else path
            if target.suffix == ".md" and target.is_file() and anchor not in slugs(target.read_text(encoding="utf-8")):
                yield f"{path.relative_to(root)}: {file}#{anchor} has no such heading"


def links_are_looked_up(folder):
    (folder / "a.html").write_text('<h1 id="top">A</h1><a href="b.html#here">b</a> <a href="https://sotto.example/x">far</a>')
    (folder / "b.html").write_text('<h2 id="here">B</h2><a href="a.html#top">a</a>')
    check("good links are taken for broken ones", links.broken(folder) == ([], 2))
    (folder / "b.html").write_text('<a href="a.html#nowhere">a</a><a href="c.html">c</a><img src="none.svg">')
    found, _ = links.broken(folder)
    check(f"planted faults: {found}", len(found) == 4)  # #here of a.html, and three of b.html


def comments_become_doxygen():
    made = header_filter.filtered("/* First. */\n/* Of x & <y>, `a<b`. */\nint x; /* the unit */\nint f(int a /* plain */);\n")
    check(made, made == "/** \\file\n * First. */\n/** Of x \\& \\<y\\>, `a<b`. */\nint x; /**< the unit */\nint f(int a /* plain */);\n")


def pages_are_staged(folder):
    (folder / "docs/site").mkdir(parents=True)
    (folder / "src/methods/gap").mkdir(parents=True)
    (folder / "docs/site/index.md").write_text("/docs/a\n(more)\n")
    (folder / "docs/a.md").write_text("# A\n[folder](../src/methods/) [gap](../src/methods/gap/) [data](x.csv) [b](b.md#c)\n")
    (folder / "docs/b.md").write_text("# B\n## C\n")
    (folder / "docs/x.csv").write_text("1\n")
    (folder / "src/methods/gap/README.md").write_text("# gap\n")
    for name in ("README.md", "CONTRIBUTING.md", "SECURITY.md", "CHANGELOG.md"):
        (folder / name).write_text("# page\n")
    check("a good anchor is taken for a broken one", not list(anchors(folder)))
    out = folder / "out"
    stage.make(folder, out, {"reference/r.md": "# R\n"})
    check("links to folders", (out / "docs/a.md").read_text() ==
          "# A\n[folder](../src/methods/files.md) [gap](../src/methods/gap/README.md) [data](x.csv) [b](b.md#c)\n")
    check("files that are linked", (out / "docs/x.csv").is_file())
    index = (out / "index.md").read_text().split()
    check(f"pages that the index does not name: {index}", "/docs/b" in index and "/reference/r" in index and index.count("/docs/a") == 1)
    (folder / "docs/b.md").write_text("# B\n")
    check("a planted anchor is not found", list(anchors(folder)) == ["docs/a.md: b.md#c has no such heading"])


def main():
    for test in (links_are_looked_up, pages_are_staged):
        with tempfile.TemporaryDirectory() as folder:
            test(pathlib.Path(folder))
    comments_become_doxygen()
    schemas = reference.schemas(ROOT)
    check("no page of the statement's schema", "| `verdict` | string | yes |" in schemas["reference/schemas/statement.md"])
    found = list(anchors(ROOT))
    print("\n".join(found))
    check("links between documents", not found)


if __name__ == "__main__":
    main()
