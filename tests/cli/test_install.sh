#!/bin/sh
# make install: everything is there, pkg-config and CMake find it, the examples build against it and run, and the
# library exports what include/sotto declares and nothing else.
. "$(dirname "$0")/common.sh"
cmake --install "$SOTTO_BUILD" --prefix "$folder/usr" > /dev/null
lib=$(dirname "$(find usr -name 'libsotto.so')")
for file in usr/bin/sotto usr/include/sotto/dp.h usr/share/man/man1/sotto.1 "$lib/libsotto.a" "$lib/pkgconfig/sotto.pc"
do [ -e "$file" ] || fail "$file was not installed"; done

nm -D --defined-only "$lib/libsotto.so" | awk '{ print $3 }' | grep '^sotto_' | sort > exported
diff "$SOTTO_SOURCE/docs/exported.txt" exported > difference ||
  { cat difference >&2; fail "the exported names are not those of docs/exported.txt (write it anew if that is meant)"; }

case $SOTTO_SANITIZE in ON) flags="-fsanitize=address,undefined" ;; *) flags="" ;; esac
cmake -S "$SOTTO_SOURCE/examples" -B build -DCMAKE_PREFIX_PATH="$folder/usr" -DCMAKE_C_COMPILER="$SOTTO_CC" \
  -DCMAKE_C_FLAGS="$flags" > /dev/null
cmake --build build > log 2>&1 || { cat log >&2; fail "the examples do not build"; }
build/epsilon | grep -q "epsilon 4 at delta 1e-6 allows mu 0.8379" || fail "the epsilon example prints something else"
build/private_layers | grep -q "^paid mu" || fail "the release example does not pay"
PKG_CONFIG_PATH=$lib/pkgconfig pkg-config --exact-version 0.1.0 sotto || fail "pkg-config does not find it"
