#!/bin/sh
# Each artefact of a release is installed and trains a model: release_test.sh [FOLDER], else dist/. The same seed gives the same bytes
# of the model in all. Builds the source archive and the source distribution; needs PyPI. $PYTHON chooses the interpreter.
set -eu
cd "${1:-$(dirname "$0")/../dist}"
release=$PWD
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export HOME="$work"
sha256sum --quiet -c SHA256SUMS

one=
trains() { # trains NAME PROGRAM: generates a graph, trains, and compares the model with that of the first program
  mkdir "$work/run-$1"
  (cd "$work/run-$1" && "$2" data generate sbm --nodes 300 --seed 1 --out g.sotto && "$2" train --method gap --data g.sotto \
    --epochs 5 --encoder-epochs 5 --insecure-seed 1 --anyway --out run) > "$work/log" 2>&1 || { cat "$work/log" >&2; exit 1; }
  model=$(sha256sum < "$work/run-$1/run/model.safetensors")
  one=${one:-$model}
  [ "$model" = "$one" ] || { echo "FAILED: $1 trains another model" >&2; exit 1; }
  echo "$1: $("$2" --version | head -n 1), model ${model%"${model#????????????}"}"
}
in_venv() { # in_venv NAME FILE: pip installs the file in an environment of its own
  "${PYTHON:-python3}" -m venv "$work/$1"
  "$work/$1/bin/pip" install -q "$2"
  trains "$1" "$work/$1/bin/sotto"
}

for package in "$release"/*.deb; do dpkg-deb -x "$package" "$work/packages"; done
trains packages "$work/packages/usr/bin/sotto"
in_venv wheel "$(echo "$release"/python/*.whl)"
mkdir "$work/source"
tar -xf "$release"/sotto-*.tar.gz -C "$work/source" --strip-components=1
cmake -S "$work/source" -B "$work/source/build" -G Ninja -DCMAKE_BUILD_TYPE=Release -DBUILD_TESTING=OFF > "$work/log"
cmake --build "$work/source/build" --target sotto > "$work/log" || { tail -n 30 "$work/log" >&2; exit 1; }
trains source-archive "$work/source/build/sotto"
in_venv source-distribution "$(echo "$release"/python/*.tar.gz)"
