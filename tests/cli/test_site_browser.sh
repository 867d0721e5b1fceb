#!/bin/sh
# Two documents as `make docs` shows them, in Chromium: light and dark, nothing wider than the window, contrast and size of letters.
. "$(dirname "$0")/common.sh"
. "$(dirname "$0")/browser.sh"
"$python" -c 'import furo, myst_parser, sphinx' 2> /dev/null || { echo "skipped: the packages of docs/site/packages.txt are missing"; exit 77; }

mkdir -p staged/docs
cp "$source/README.md" staged/
cp "$source/docs/privacy.md" staged/docs/
cp -r "$source/docs/pictures" staged/docs/
printf '# Index\n```{toctree}\n:caption: Start\n\nREADME\ndocs/privacy\n```\n' > staged/index.md
# The links of these two lead to pages that are not here; breathe is for the C reference alone.
"$python" -B -m sphinx -q -b html -D extensions=myst_parser -D suppress_warnings=myst.xref_missing,myst.header \
  -c "$source/docs/site" staged site > said 2>&1 || { cat said; fail "the site of two pages"; }
"$python" "$tests/site_browser.py" "$kept" site/README.html site/docs/privacy.html ||
  fail "the pages in the browser; pictures are in $kept"

# Without its style the site is white in the dark, and its letters are small: both are found.
sed '/^html_css_files/d; /^html_theme_options/,$d' "$source/docs/site/conf.py" > conf.py
cp -r "$source/docs/site/static" .
"$python" -B -m sphinx -q -b html -D extensions=myst_parser -c . staged plain > said 2>&1 || { cat said; fail "the site without a style"; }
expect 1 "the paper is rgb(255, 255, 255) in dark" "$python" "$tests/site_browser.py" "$folder" plain/README.html
grep -q "px tall" output || fail "small letters are not found"
