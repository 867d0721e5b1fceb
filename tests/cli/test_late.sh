#!/bin/sh
# Libraries that most verbs do not need are not loaded at the start, and one that is not there is named when it is needed.
. "$(dirname "$0")/common.sh"
readelf -dW "$SOTTO" | grep NEEDED > needed || true
if grep -E "openblas|svm|microhttpd" needed >&2; then
  fail "the program loads these at its start: app/late.c lacks one of their functions"
fi
"$SOTTO" data generate sbm --nodes 60 --features 4 --out g.sotto > /dev/null
# OpenBLAS is told the routines of a processor that it does not know; what the user chose stands.
cores() {
  rm -rf run
  env -u OPENBLAS_CORETYPE "$@" OPENBLAS_VERBOSE=2 "$SOTTO" train --method gnn --data g.sotto --epochs 1 --out run 2>&1 | sed -n 's/^Core: //p'
}
if grep -qw avx2 /proc/cpuinfo; then
  core=$(cores A=1 | tail -n 1)
  case $core in
    "" | Prescott) fail "products take the routines of '$core' on a processor with AVX2" ;;
  esac
  [ "$(cores OPENBLAS_CORETYPE=Prescott | tail -n 1)" = Prescott ] || fail "OPENBLAS_CORETYPE of the user did not stand"
fi
rm -rf run
mkdir broken
for name in libopenblas.so.0 libsvm.so.3 libmicrohttpd.so.12; do : > "broken/$name"; done
export LD_LIBRARY_PATH="$folder/broken"
expect 0 "usage: sotto VERB" "$SOTTO" --help
expect 0 "epsilon" "$SOTTO" account gaussian --epsilon 4 --delta 1e-6
expect 1 "libopenblas.so.0: file too short; install the package with libopenblas.so.0" \
  "$SOTTO" train --method gnn --data g.sotto --epochs 1 --out run
