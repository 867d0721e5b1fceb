#!/bin/sh
# A release of other data has noise of its own: two of them, of the same data by the same model, differ in every file that is
# released, and so do answers.
. "$(dirname "$0")/common.sh"

"$SOTTO" data generate sbm --nodes 200 --out g.sotto > /dev/null
"$SOTTO" data generate sbm --nodes 200 --seed 4 --out other.sotto > /dev/null

# trained OUT OPTIONS: a run and two releases of other data by it
trained() {
  run=$1
  shift
  "$SOTTO" train --data g.sotto --out "$run" --hidden 8 --anyway "$@" > log 2>&1 || { cat log >&2; fail "$run: the training"; }
  for number in 1 2; do
    "$SOTTO" predict "$run" other.sotto --epsilon 2 > log 2>&1 || { cat log >&2; fail "$run: release $number"; }
  done
}
# released RUN: the released files of its first release of other data
released() { (cd "$1/predictions/1" && find . -name 'counts-*.sotto' -o -name 'published-*.sotto' -o -name 'release*.bin'); }

# Where validation likes features alone vfgnn with counts releases nothing; run.other_data has it.
for method in best vesper gap vfgnn-rows fedavg fedsage; do
  case $method in
    fed*) more="--adjacency edge --clients 3 --rounds 2" ;;
    *-rows) more="--publication rows --layers 1 --epochs 4" ;;
    *) more="--encoder-epochs 4 --epochs 4" ;;
  esac
  # shellcheck disable=SC2086
  trained $method --method ${method%-rows} --epsilon 4 $more
  [ -n "$(released $method)" ] || { find $method/predictions >&2; fail "$method: nothing was released"; }
  for file in $(released $method); do
    [ -s "$method/predictions/2/$file" ] || fail "$method: the second release has no $file"
    ! cmp -s "$method/predictions/1/$file" "$method/predictions/2/$file" || fail "$method: $file has no noise of its own"
  done
done
cmp -s fedavg/predictions/1/predictions.csv fedavg/predictions/2/predictions.csv && fail "answers do not follow from releases"
echo "each release of other data has noise of its own"
