#!/bin/sh
# make install and make uninstall: everything is there and can be moved; the library exports what docs/exported.txt
# lists and nothing else; pkg-config and CMake link C and C++ programs with the shared and the static library.
. "$(dirname "$0")/common.sh"
case $SOTTO_SANITIZE in ON) flags="-fsanitize=address,undefined" ;; *) flags="" ;; esac
case $SOTTO_CC in *clang*) cxx=clang++ ;; *) cxx=g++ ;; esac
cmake --install "$SOTTO_BUILD" --prefix "$folder/first" > /dev/null
grep -rlI "$folder/first" first > named || true
[ ! -s named ] || { cat named >&2; fail "these files name the prefix, and cannot be moved"; }
mv first usr
lib=$(dirname "$(find usr -name 'libsotto.so')")
for file in usr/bin/sotto usr/include/sotto/dp.h usr/share/man/man1/sotto.1 usr/share/man/man1/sotto-run.1 usr/share/bash-completion/completions/sotto usr/share/sotto/statement.schema.json "$lib/libsotto.a" "$lib/pkgconfig/sotto.pc"
do [ -e "$file" ] || fail "$file was not installed"; done

nm -D --defined-only "$lib/libsotto.so" | awk '{ print $3 }' | grep '^sotto_' | sort > exported
diff "$SOTTO_SOURCE/docs/exported.txt" exported > difference ||
  { cat difference >&2; fail "the exported names are not those of docs/exported.txt (write it anew if that is meant)"; }

cmake -S "$SOTTO_SOURCE/examples" -B build -DCMAKE_PREFIX_PATH="$folder/usr" -DCMAKE_C_COMPILER="$SOTTO_CC" \
  -DCMAKE_C_FLAGS="$flags" > /dev/null
cmake --build build > log 2>&1 || { cat log >&2; fail "the examples do not build"; }
build/epsilon | grep -q "epsilon 4 at delta 1e-6 allows mu 0.8379" || fail "the epsilon example prints something else"
build/private_layers | grep -q "^paid mu" || fail "the release example does not pay"

build/train_and_predict > predicted || fail "the training example fails"
grep -q '"epsilon_planned": 2' predicted || fail "the training example states something else"
[ "$(sed -n 's/^\([0-9]*\) of 1000 nodes are right$/\1/p' predicted)" -gt 600 ] || fail "the training example learns nothing"
[ "$(wc -l < "$SOTTO_SOURCE/examples/train_and_predict.c")" -lt 40 ] || fail "the training example has 40 lines or more"

# A C++ program with data in its own arrays.
cat > arrays.cc << 'EOF'
#include <sotto/graph.h>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <vector>
int main() {
  std::vector<std::int64_t> from{0, 1, 2}, to{1, 2, 0};
  std::vector<float> features{1, 2, 3};
  sotto_arrays arrays{};
  arrays.nodes = 3;
  arrays.sources = {from.data(), from.size(), SOTTO_INDEX_I64};
  arrays.targets = {to.data(), to.size(), SOTTO_INDEX_I64};
  arrays.features = features.data();
  arrays.feature_columns = 1;
  sotto_dataset data;
  sotto_error err{};
  if (sotto_dataset_from_arrays(&data, &arrays, &err) != SOTTO_OK) return std::fprintf(stderr, "%s\n", err.text), 1;
  std::printf("%llu entries, sotto %s\n", static_cast<unsigned long long>(data.graph.entries), sotto_version());
  sotto_dataset_free(&data);
  return std::strcmp(sotto_version(), SOTTO_VERSION);
}
EOF
cp "$SOTTO_SOURCE/examples/train_and_predict.c" example.cc
mkdir consumer
cat > consumer/CMakeLists.txt << 'EOF'
cmake_minimum_required(VERSION 3.22)
project(consumer LANGUAGES CXX)
set(CMAKE_CXX_STANDARD 17)
find_package(sotto 0.1 REQUIRED)
add_executable(shared ../arrays.cc)
target_link_libraries(shared PRIVATE sotto::sotto)
add_executable(static ../arrays.cc)
add_executable(example ../example.cc)
target_link_libraries(example PRIVATE sotto::sotto)
target_link_libraries(static PRIVATE sotto::sotto_static)
EOF
cmake -S consumer -B consumer/build -DCMAKE_PREFIX_PATH="$folder/usr" -DCMAKE_CXX_COMPILER=$cxx \
  -DCMAKE_CXX_FLAGS="$flags" > /dev/null
cmake --build consumer/build > log 2>&1 || { cat log >&2; fail "a C++ program does not build with the CMake package"; }

# check PROGRAM HOW: it runs, and has the library inside (static) or beside it (shared).
check() {
  LD_LIBRARY_PATH="$folder/$lib" "$1" > output || fail "$1 does not run"
  grep -q "^6 entries, sotto 0.1.0$" output || fail "$1 prints something else"
  if [ "$2" = shared ]; then
    ldd "$1" | grep -q "libsotto.so.0" || fail "$1 does not ask for libsotto.so.0"
  else
    ! ldd "$1" | grep -q "libsotto" || fail "$1 asks for libsotto"
  fi
}
check consumer/build/shared shared
check consumer/build/static static
TMPDIR="$folder" consumer/build/example > predicted || fail "the training example fails as a C++ program"
[ -z "$(find "$folder" -maxdepth 1 -name 'sotto-run-*')" ] || fail "the training example leaves files behind"

# pkg-config: the shared library by its own flags alone, the static one with those of --static.
export PKG_CONFIG_PATH="$folder/$lib/pkgconfig"
pkg-config --exact-version 0.1.0 sotto || fail "pkg-config does not find it"
pkg-config --libs sotto | grep -q -- "-lsodium" && fail "the shared library's flags name libraries that it uses itself"
# shellcheck disable=SC2046
$cxx -std=c++17 $flags arrays.cc $(pkg-config --cflags --libs sotto) -o with_shared || fail "pkg-config's flags do not link"
check ./with_shared shared
rm "$lib"/libsotto.so*
# shellcheck disable=SC2046
$cxx -std=c++17 $flags arrays.cc $(pkg-config --static --cflags --libs sotto) -o with_static ||
  fail "pkg-config's flags for a static library do not link"
check ./with_static static

# make uninstall leaves what it did not install.
export DESTDIR="$folder/stage"
cmake --install "$SOTTO_BUILD" --prefix /opt/sotto > /dev/null
[ -e stage/opt/sotto/bin/sotto ] || fail "DESTDIR was not used"
echo "mine" > stage/opt/sotto/include/sotto/mine.h
"$SOTTO_SOURCE/scripts/uninstall.sh" "$SOTTO_BUILD" /opt/sotto 2> kept
[ "$(find stage ! -type d)" = stage/opt/sotto/include/sotto/mine.h ] || { find stage >&2; fail "uninstall left or took too much"; }
grep -q "kept .*/include/sotto" kept || fail "uninstall does not say what it kept"

# Both refresh the loader's cache, but not while packaging; PREFIX and DESTDIR may be relative.
unset DESTDIR
for target in install uninstall; do
  make -n -C "$SOTTO_SOURCE" -o all $target PREFIX=/opt/sotto 2> /dev/null | grep -q ldconfig || fail "make $target leaves the loader's cache as it was"
  make -n -C "$SOTTO_SOURCE" -o all $target PREFIX=opt DESTDIR=stage > plan 2> /dev/null
  if grep -q ldconfig plan; then fail "make $target DESTDIR=stage changes this machine"; fi
  grep -q "DESTDIR=\"/.*stage\".*\"/.*opt\"" plan || fail "make $target takes no relative paths: $(cat plan)"
done
