# What the scripts of this folder share. $SOTTO_RANKS is the folder of the programs with MPI.
if [ -z "${SOTTO_RANKS-}" ] || ! command -v mpirun > /dev/null; then
  echo "skipped: no MPI here (tests/mpi/packages.txt)" >&2
  exit 77
fi
# Ranks that wait leave the processor to what else runs on it.
export OMPI_MCA_mpi_yield_when_idle=1
# They are on one machine: without TCP, whose warnings on a machine without a network would be lines of the output.
export OMPI_MCA_btl=^tcp
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 SOTTO_RANK_TIMEOUT=60
if ! why=$(mpirun --oversubscribe -n 2 true 2>&1); then
  echo "skipped: mpirun starts no processes here: $why" >&2
  exit 77
fi
SOTTO=$SOTTO_RANKS/ranks_sotto
. "$(dirname "$0")/../cli/common.sh"

# ranks COUNT PROGRAM WORDS...: so many processes on the cores that there are.
ranks() {
  count=$1 program=$2
  shift 2
  mpirun --oversubscribe -n "$count" "$SOTTO_RANKS/$program" "$@"
}

# Runs have the same name in different folders, since a release names its run.
digests() {
  sha256sum "$1/run/seed-1/release.bin" "$1/run/model.safetensors" | cut -d ' ' -f 1
}

# named_dead RANK: `output` says that this rank was killed, or that another waited for it. MPI breaks its lines where it likes.
named_dead() {
  tr '\n' ' ' < output | grep -Eaq "rank $1 .{0,200}(signal 9|[Kk]illed)|waited for rank $1" ||
    { cat output >&2; fail "the error does not name the rank"; }
}
