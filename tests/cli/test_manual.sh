#!/bin/sh
# Man pages and shell completion, made from what the program says: every verb and option is there, and a shell completes.
. "$(dirname "$0")/common.sh"
python3 "$SOTTO_SOURCE/scripts/manual.py" "$SOTTO" manual
for verb in $("$SOTTO" --help | sed -n 's/^  \([a-z]*\)  .*/\1/p'); do
  [ -s "manual/sotto-$verb.1" ] || fail "no page of $verb"
  grep -q '^\.SH SYNOPSIS' "manual/sotto-$verb.1" || fail "the page of $verb has no synopsis"
done
for option in max-degree noise-file; do # one that is there, one that is not
  grep -q "^\.B .*$(echo "$option" | sed 's/-/\\\\-/g')$" manual/sotto-train.1 && found=yes || found=no
  case "$option $found" in "max-degree yes" | "noise-file no") ;; *) fail "$option in the page of train: $found" ;; esac
done
if command -v man > /dev/null; then
  for page in manual/*.1 "$SOTTO_SOURCE/docs/sotto.1"; do
    LC_ALL=C.UTF-8 man --warnings -l "$page" 2> warnings > text || fail "$page cannot be shown"
    [ ! -s warnings ] || { cat warnings >&2; fail "$page has warnings"; }
    [ ! -s text ] && fail "$page is empty" # where man is a stub there is no text
  done
fi

# complete WORD...: what the last word may become.
complete() {
  bash -c '. manual/sotto.bash; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _sotto; echo "${COMPREPLY[*]}"' bash "$@"
}
is() { # is WANTED WORD...
  wanted=$1
  shift
  got=$(complete "$@")
  [ "$got" = "$wanted" ] || fail "$*: completes to '$got', not '$wanted'"
}
is "train" sotto tra
is "--method" sotto train --met
is "vesper vfgnn" sotto train --method v
is "invite" sotto consortium in
is "init" sotto identity in
is "--confirm" sotto consortium --conf
is "--learns" sotto run predict --learns
is "--board-token" sotto run --board-t
is "none node" sotto train --adjacency n
is "verify" sotto ledger ve
is "" sotto train run.ya # files are the shell's affair
bash -c '. manual/sotto.bash; complete -p sotto' | grep -q -- "-F _sotto" || fail "bash does not know the function"
! command -v zsh > /dev/null || zsh -n manual/_sotto || fail "zsh cannot read its completion"
