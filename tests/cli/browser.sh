# What tests of pages in a browser share, after common.sh: $python has Selenium, or the test skips; $kept keeps pictures.
python=
for one in /usr/bin/python3 python3; do
  [ -n "$python" ] || ! "$one" -c 'import selenium' 2> /dev/null || python=$one
done
for need in chromium chromedriver; do
  command -v $need > /dev/null || { echo "skipped: $need is not installed (Debian: chromium, chromium-driver)"; exit 77; }
done
[ -n "$python" ] || { echo "skipped: Selenium is not installed (Debian: python3-selenium)"; exit 77; }
tests=$SOTTO_SOURCE/tests/cli
kept=${SOTTO_BUILD:-$folder}/report-pages
mkdir -p "$kept"
