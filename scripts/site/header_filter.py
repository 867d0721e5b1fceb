#!/usr/bin/env python3
"""A header as doxygen reads it: its plain comments become doxygen's. header_filter.py HEADER"""
import re
import sys

COMMENT = re.compile(r"/\*(.*?)\*/", re.S)


def escaped(text):
    """Without what doxygen takes for commands and HTML; code between backticks stays."""
    parts = re.split(r"(`[^`\n]*`)", text)
    return "".join(p if p.startswith("`") else re.sub(r"([\\@<>#%&])", r"\\\1", p) for p in parts)


def filtered(text):
    first = True

    def doc(m):
        nonlocal first
        before = text[text.rfind("\n", 0, m.start()) + 1:m.start()]
        body = escaped(m[1])
        if first:
            first = False
            return f"/** \\file{chr(10)} *{body}*/"
        if not before.strip():
            return f"/**{body}*/"
        return f"/**<{body}*/" if before.rstrip().endswith((";", ",")) else m.group()
    return COMMENT.sub(doc, text)


def main():
    with open(sys.argv[1], encoding="utf-8") as file:
        sys.stdout.write(filtered(file.read()))


if __name__ == "__main__":
    main()
