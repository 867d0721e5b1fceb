#!/bin/sh
# docs/operate.md: its commands in two folders, each as the shell of one party. A line that ends in & goes on beside the
# others; `# exit N` is the status it has to end with.
. "$(dirname "$0")/common.sh"
mkdir bin bank partner
ln -s "$SOTTO" bin/sotto
PATH="$folder/bin:$PATH"
sed -n 's/^\(bank\|partner\)\$ /\1 /p' "$SOTTO_SOURCE/docs/operate.md" |
  sed "s/0\.0\.0\.0:7443/$host:7443/; s/bank\.example:7443/$host:7443/" > lines
[ "$(grep -c . lines)" -gt 50 ] || fail "the page has lost its commands"
beside_bank= beside_partner=
trap 'kill $beside_bank $beside_partner 2> /dev/null || true; rm -rf "$folder"' EXIT
of() { # of WHO LINE: in that party's folder
  cd "$1"
  export SOTTO_LEDGER="$PWD/ledger.db" SOTTO_LEDGER_KEY="$PWD/ledger.key" OMP_NUM_THREADS=1
  eval "$2"
}
while read -r who line; do
  eval "pid=\$beside_$who"
  wanted=0
  case $line in
  *"# exit "*) wanted=${line##*# exit } ;;
  *"&") (of "$who" "exec ${line%&}") > "$who.log" 2>&1 < /dev/null &
    eval "beside_$who=\$!"
    continue ;;
  wait)
    wait "$pid" || { cat "$who.log" >&2; fail "$who, beside the others, ended with $?"; }
    continue ;;
  esac
  got=0
  (of "$who" "$(echo "$line" | sed "s/\$!/$pid/")") > output 2>&1 < /dev/null || got=$?
  [ "$got" -eq "$wanted" ] || { cat output "$who.log" >&2; fail "$who: $line: ended with $got, not $wanted"; }
done < lines
# Two runs and a histogram were charged, and no more; the stolen key is refused.
[ "$(of bank "sotto ledger show graph.sotto --json" | grep -o '"id"' | wc -l)" -eq 2 ] || fail "not two charges"
grep -q "partner" bank/party/revoked || fail "the stolen key is not refused"
