"""Links and anchors within a site that was built."""
import html.parser
import os
import urllib.parse


class Page(html.parser.HTMLParser):
    """The links and the anchors of a page."""

    def __init__(self):
        super().__init__()
        self.links, self.anchors = [], set()

    def handle_starttag(self, tag, attrs):
        for name, value in attrs:
            if name == "id" or name == "name" and tag == "a":
                self.anchors.add(value)
            elif name in ("href", "src") and value and tag != "link":
                self.links.append((self.getpos()[0], value))


def broken(folder):
    """Sentences about links that lead nowhere, and how many links were looked up."""
    pages, found, count = {}, [], 0
    for path in folder.rglob("*.html"):
        pages[path] = Page()
        pages[path].feed(path.read_text(encoding="utf-8"))
    for path, page in sorted(pages.items()):
        for line, link in page.links:
            parts = urllib.parse.urlsplit(link)
            if parts.scheme or parts.netloc:
                continue
            count += 1
            where = f"{path.relative_to(folder)}:{line}"
            target = path
            if parts.path:
                target = path.__class__(os.path.normpath(path.parent / urllib.parse.unquote(parts.path)))
            if not target.is_file():
                found.append(f"{where}: {link} is not there")
            elif parts.fragment and target in pages and urllib.parse.unquote(parts.fragment) not in pages[target].anchors:
                found.append(f"{where}: {link} has no such anchor")
    return found, count
