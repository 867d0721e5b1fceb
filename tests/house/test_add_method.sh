#!/bin/sh
# A method is its folder and a line of the registry: polls.patch adds one to a copy of the sources as docs/add-a-method.md
# says, and it passes the conformance of all methods; the program lists, explains and runs it.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
source=${SOTTO_SOURCE:-$here/../..}
plain=${SOTTO_PLAIN:-$source/build/sotto}
plain=${plain%/*}
support=${SOTTO_BUILD:-$source/build-test}/tests/libtest_support_plain.a
for archive in "$plain/libsotto.a" "$plain/libsotto_app.a" "$plain/sotto.pc" "$support"; do
  [ -f "$archive" ] || { echo "there is no $archive" >&2; exit 77; }
done
cc=${SOTTO_CC:-cc}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

touched=$(sed -n 's,^+++ b/,,p' "$here/polls.patch" | sort | tr '\n' ' ')
[ "$touched" = "src/methods/polls/README.md src/methods/polls/method.c src/methods/registry.c " ] || {
  echo "the patch touches other files than a folder and the registry: $touched" >&2
  exit 1
}
cp -r "$source/include" "$source/src" "$work"
(cd "$work" && patch -s -p1) < "$here/polls.patch"
cd "$work"
lines=$(diff "$source/src/methods/registry.c" src/methods/registry.c | grep -c '^> *X(polls)') || true
[ "$lines" -eq 1 ] || { echo "the registry has $lines lines of it" >&2; exit 1; }

groups="charges options predict refusals resume statement worlds"
{
  echo '#include <string.h>'
  echo '#include "check.h"'
  for group in $groups; do echo "int test_of_$group(void);"; done
  echo 'int main(int argc, char **argv) {'
  for group in $groups; do
    echo "if (argc == 2 && strcmp(argv[1], \"$group\") == 0) { check_begin(argv[1]); return test_of_$group(); }"
  done
  echo 'return 2; }'
} > conformance.c
compile() { "$cc" -std=c11 -D_GNU_SOURCE -O1 -Wall -Wextra -Werror -Isrc -Iinclude -I"$source/tests/support" -I"$source/app" "$@"; }
compile -c src/methods/registry.c src/methods/polls/method.c conformance.c
compile -c -o main.o "$source/app/main.c"
for group in $groups; do
  compile -Dmain="test_of_$group" -c -o "$group.o" "$source/tests/methods/test_conformance_$group.c"
  set -- "$@" "$group.o"
done
needs=$(sed -n 's/^Requires.private: //p' "$plain/sotto.pc")
private=$(sed -n 's/^Libs.private: //p' "$plain/sotto.pc")
link() { # NAME OBJECT...
  name=$1
  shift
  # shellcheck disable=SC2046,SC2086 # lists of words
  "$cc" -o "$name" "$@" registry.o method.o "$support" "$plain/libsotto_app.a" "$plain/libsotto.a" \
    $(pkg-config --libs cmocka libmicrohttpd $needs) $private -lpthread -ldl -lm
}
link conformance conformance.o "$@"
link sotto main.o

for group in $groups; do
  SOTTO_TEST_CASE=polls ./conformance "$group" > said 2>&1 || { cat said >&2; exit 1; }
  grep -q 'PASSED' said || { cat said >&2; exit 1; }
done
SOTTO_TEST_CASE=nobody ./conformance charges > said 2>&1 || { cat said >&2; exit 1; }

HOME=$work/home
export HOME
mkdir "$HOME"
./sotto methods | grep -q '^ *polls ' || { echo "sotto methods does not list it" >&2; exit 1; }
./sotto train --method polls --help | grep -q 'polls, which share epsilon alike' || { echo "no help of its option" >&2; exit 1; }
./sotto data generate sbm --nodes 600 --out made.sotto > said 2>&1 || { cat said >&2; exit 1; }
./sotto train --method polls --data made.sotto --epsilon 2 --layers 2 --epochs 20 --encoder-epochs 20 --out run > said 2>&1 ||
  { cat said >&2; exit 1; }
./sotto audit run --attack release,canary > said 2>&1 || { cat said >&2; exit 1; }
./sotto report run > said 2>&1 || { cat said >&2; exit 1; }
