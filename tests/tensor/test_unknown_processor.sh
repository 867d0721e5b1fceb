#!/bin/sh
# On a processor that OpenBLAS does not know, the program and a program that is linked with the library train the same
# model, by the kernels of the processor's instructions. OPENBLAS_CORETYPE of the user stands.
. "$(dirname "$0")/../cli/common.sh"
grep -qw avx2 /proc/cpuinfo || { echo "SKIPPED: OpenBLAS's choice for an unknown processor is right here"; exit 77; }
library=$(dirname "$SOTTO_PLAIN")
[ -e "$library/libsotto.so" ] || { echo "SKIPPED: there is no library without sanitizers"; exit 77; }

# In the place of such a processor.
"$SOTTO_CC" -O1 -shared -fPIC -o unknown.so "$SOTTO_SOURCE/tests/tensor/unknown_processor.c" -ldl

# A program of C that is linked with the library, and so with OpenBLAS. It takes the words of `sotto train`.
cat > user.c <<'C'
#include <sotto/run.h>
#include <stdio.h>
#include <string.h>
int main(int argc, char **argv) {
  sotto_error err = {0};
  sotto_run *run = NULL;
  sotto_dataset data = {0};
  sotto_status status = sotto_run_new(&run, &err);
  for (int i = 2; i < argc && status == SOTTO_OK; i++) {
    char *value = strchr(argv[i], '=');
    *value = '\0';
    status = sotto_run_set(run, argv[i] + 2, value + 1, &err);
  }
  if (status == SOTTO_OK) status = sotto_dataset_open(&data, sotto_run_options(run)->data, NULL, &err);
  if (status == SOTTO_OK) status = sotto_run_train(run, &data, NULL, &err);
  if (status != SOTTO_OK) fprintf(stderr, "%s\n", err.text);
  sotto_run_free(run);
  sotto_dataset_free(&data);
  return status != SOTTO_OK;
}
C
"$SOTTO_CC" -std=c11 -I"$SOTTO_SOURCE/include" -o user user.c "$library/libsotto.so" -Wl,-rpath,"$library" \
  -Wl,-rpath-link,"$library"
"$SOTTO" data generate sbm --nodes 300 --features 40 --out g.sotto > /dev/null

# model PROGRAM [NAME=VALUE...]: the digest of a model with weights between layers, whose norms are LAPACK's; in `cores`, the
# kernels that OpenBLAS took, one after the other.
model() {
  program=$1
  shift
  rm -rf run
  env -u OPENBLAS_CORETYPE "$@" SOTTO_ISA=plain OPENBLAS_VERBOSE=2 "$program" train --method=gnn --aggregator=gin --data=g.sotto \
    --layer-weights=true --epochs=3 --encoder-epochs=3 --hidden=48 --out=run > said 2>&1 || { cat said >&2; fail "$program: no model"; }
  sed -n 's/^Core: //p' said | tr '\n' ' ' > cores
  sha256sum run/model.safetensors | cut -d ' ' -f 1
}
known=Haswell
grep -qw avx512vl /proc/cpuinfo && grep -qw avx512bw /proc/cpuinfo && grep -qw avx512dq /proc/cpuinfo && known=SkylakeX
wanted=$(model "$SOTTO" OPENBLAS_CORETYPE=$known)
old=$(model "$SOTTO" OPENBLAS_CORETYPE=Prescott)
[ "$wanted" != "$old" ] || fail "the models of $known and Prescott do not differ, so this test sees nothing"
for program in "$SOTTO" ./user; do
  [ "$(model "$program" LD_PRELOAD="$folder/unknown.so")" = "$wanted" ] ||
    fail "$program: another model than with $known, with the kernels $(cat cores)"
  [ "$(cat cores)" = "Prescott $known " ] || fail "$program: took the kernels $(cat cores), not Prescott, then $known"
  for core in "" 80386; do # names no kernels
    [ "$(model "$program" LD_PRELOAD="$folder/unknown.so" OPENBLAS_CORETYPE=$core)" = "$wanted" ] ||
      fail "$program: another model than with $known where OPENBLAS_CORETYPE is '$core', with the kernels $(cat cores)"
  done
  for core in Prescott Nehalem Sandybridge Haswell $known; do
    forced=$(model "$program" LD_PRELOAD="$folder/unknown.so" OPENBLAS_CORETYPE=$core)
    [ "$(cat cores)" = "$core " ] || fail "$program: OPENBLAS_CORETYPE=$core of the user did not stand: $(cat cores)"
    [ "$core" != Prescott ] || [ "$forced" = "$old" ] || fail "$program: another model than the program's with $core"
  done
done
