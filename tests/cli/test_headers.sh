#!/bin/sh
# Every public header compiles alone, as C11 and as C++17, without a warning; and every exported function is declared
# in one of them with C linkage, so that C++ programs find it in the library.
. "$(dirname "$0")/common.sh"
strict="-Wall -Wextra -Wpedantic -Wshadow -Werror -I$SOTTO_SOURCE/include"
compilers=""
for name in g++ clang++; do ! command -v $name > /dev/null || compilers="$compilers $name"; done
[ -n "$compilers" ] || fail "there is no C++ compiler"

for header in "$SOTTO_SOURCE"/include/sotto/*.h; do
  name=$(basename "$header")
  echo "#include <sotto/$name>" | tee -a all.cc > alone.c
  cp alone.c alone.cc
  # shellcheck disable=SC2086
  "$SOTTO_CC" -std=c11 $strict -fsyntax-only alone.c || fail "$name does not compile alone as C11"
  for compiler in $compilers; do
    # shellcheck disable=SC2086
    $compiler -std=c++17 $strict -fsyntax-only alone.cc || fail "$name does not compile alone with $compiler as C++17"
  done
done

# A C++ program that names every function asks the linker for exactly the names that the library exports.
{ echo "using any = void (*)();"
  echo "extern const any functions[];"
  echo "const any functions[] = {"
  sed 's/.*/  reinterpret_cast<any>(\&&),/' "$SOTTO_SOURCE/docs/exported.txt"
  echo "};"; } >> all.cc
for compiler in $compilers; do
  # shellcheck disable=SC2086
  $compiler -std=c++17 $strict -c all.cc -o all.o || fail "a function of docs/exported.txt is in no public header"
  nm -u all.o | awk '{ print $2 }' | grep -v '^_GLOBAL' | sort > asked
  diff "$SOTTO_SOURCE/docs/exported.txt" asked || fail "these functions have no C linkage with $compiler"
done
