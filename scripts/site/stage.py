"""The folder that Sphinx reads: the tree's Markdown files where they lie in the tree, so that their links hold, and what they link to."""
import os
import re
import shutil

LINK = re.compile(r"(!?)\[((?:[^\[\]]|\[[^\]]*\])*)\]\(([^)\s#]*)(#[^)\s]*)?\)")


def documents(root):
    """Paths of the Markdown files that are pages."""
    out = [root / name for name in ("README.md", "CONTRIBUTING.md", "SECURITY.md", "CHANGELOG.md")]
    out += [p for p in root.glob("docs/**/*.md") if "site" not in p.relative_to(root).parts]
    return sorted(out + list(root.glob("src/methods/*/README.md")))


def listing(root, folder):
    """A page of a folder's files, which can be fetched."""
    files = sorted(p.name for p in (root / folder).iterdir() if p.is_file())
    return f"# Files of {folder}\n" + "\n".join(f"- [{name}]({name})" for name in files) + "\n"


class Stage:
    def __init__(self, root, out):
        self.root, self.out, self.listings = root, out, set()
        self.pages = {str(p.relative_to(root)) for p in documents(root)}

    def target(self, folder, link):
        """The link as it holds in the stage; what it leads to is put there."""
        path = os.path.normpath(os.path.join(folder, link))
        if path in self.pages or path.startswith(".."):
            return link
        there = self.root / path
        if there.is_dir():
            if path + "/README.md" in self.pages:
                return os.path.join(link, "README.md")
            self.listings.add(path)
            return os.path.join(link, "files.md")
        if there.is_file():
            self.copy(path)
        return link

    def copy(self, path):
        there = self.out / path
        there.parent.mkdir(parents=True, exist_ok=True)
        if not there.exists():
            shutil.copyfile(self.root / path, there)

    def write(self, path, text):
        there = self.out / path
        there.parent.mkdir(parents=True, exist_ok=True)
        there.write_text(text, encoding="utf-8")

    def page(self, path):
        folder = os.path.dirname(path)

        def moved(m):
            if "://" in m[3] or m[3].startswith("mailto:") or not m[3]:
                return m[0]
            return f"{m[1]}[{m[2]}]({self.target(folder, m[3])}{m[4] or ''})"
        self.write(path, LINK.sub(moved, (self.root / path).read_text(encoding="utf-8")))


def index(text, names):
    """The index with the pages that no list of it names at its end."""
    named = set(re.findall(r"^/(\S+)$", text, re.M))
    globs = [re.compile(re.escape(g).replace(r"\*", "[^/]*") + r"\Z") for g in named if "*" in g]
    more = [n for n in sorted(names) if n not in named and not any(g.match(n) for g in globs)]
    return text.replace("(more)", "\n".join("/" + n for n in more))


def make(root, out, extra):
    """Fills the folder. `extra` are pages that are not in the tree: path and text."""
    stage = Stage(root, out)
    for path in sorted(stage.pages):
        stage.page(path)
    for folder in sorted(stage.listings):
        stage.write(f"{folder}/files.md", listing(root, folder))
        for path in (root / folder).iterdir():
            if path.is_file():
                stage.copy(str(path.relative_to(root)))
    for path, text in extra.items():
        stage.write(path, text)
    names = {p[:-len(".md")] for p in stage.pages | set(extra)} | {f"{folder}/files" for folder in stage.listings}
    text = (root / "docs" / "site" / "index.md").read_text(encoding="utf-8")
    stage.write("index.md", index(text.replace("](../../", "](").replace("](../", "](docs/"), names))
