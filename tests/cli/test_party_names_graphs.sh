#!/bin/sh
# Owners of small graphs agree on columns, words and classes by name, as clients with one graph do: surroundings of customers, cut out of
# tables in other orders, of which each lacks something that others have.
. "$(dirname "$0")/common.sh"
. "$(dirname "$0")/clients.sh"
. "$(dirname "$0")/client_tables.sh"
graphs() { # NUMBER HEADER...: a table's surroundings, as a collection, in its place
  table "$@"
  "$SOTTO" data split "part-$1.sotto" --ego 1 --out "ego-$1.sotto" > /dev/null || fail "surroundings of client $1"
  mv "ego-$1.sotto" "part-$1.sotto"
}
four() {
  graphs 1 $usual
  if [ -n "${schema:-}" ]; then graphs 2 $usual mid; else graphs 2 "id,town,income,label,age,split" mid; fi
  if [ -n "${schema:-}" ]; then graphs 3 $usual; else graphs 3 "split,label,income,age,id,town"; fi
  classes="top mid high" graphs 4 $usual "" hull
}
flags_of() { # METHOD
  case $1 in
    gwldp) echo "--method gwldp --publication multibit --epsilon 4 --rounds 3 --split random" ;;
    *) echo "--method fedavg --rounds 3 --split random" ;;
  esac
}
# measured FILE FILE: the same numbers; seconds and paths apart.
measured() {
  case $1 in
    *.npz) cmp "$1" "$2" ;;
    *) for file in "$1" "$2"; do grep -o '"test":{"accuracy":{"mean":[0-9.]*' "$file" > "$file.test" || fail "$file has no accuracy"; done; cmp "$1.test" "$2.test" ;;
  esac
}
schema=all.yaml
four
for method in gwldp fedavg; do all_five "stated-$method" $(flags_of $method); done
schema=""
four
for method in gwldp fedavg; do
  all_five "named-$method" $(flags_of $method)
  grep -q "all clients together have 4, and this table has examples of 2" c2.log || { cat c2.log >&2; fail "$method: client 2 is not told of the classes"; }
  cmp "s-stated-$method/model.safetensors" "s-named-$method/model.safetensors" || fail "$method: names that were agreed on give another model than names that were stated"
  for file in seed-1/embeddings.npz owner-only/result.json result.json; do
    [ ! -e "s-stated-$method/$file" ] || measured "s-stated-$method/$file" "s-named-$method/$file" || fail "$method: another $file"
  done
done

refused() { # METHOD WORDS
  rm -rf ./*-refused
  server s-refused $(flags_of $1) > s.log 2>&1 & server_pid=$!
  for number in 1 2 3 4; do client "$number" "c$number-refused" $(flags_of $1) > "c$number.log" 2>&1 & eval "client_pid$number=\$!"; done
  for party in server_pid client_pid1 client_pid2 client_pid3 client_pid4; do eval "wait \$$party" && fail "$1: $party ended well: $2"; done
  for log in s c1 c2 c3 c4; do grep -q "$2" $log.log || { cat $log.log >&2; fail "$1: $log does not say '$2'"; }; done
  [ "$(charges part-1.sotto)" -eq "$charged" ] || fail "$1: a run that was refused was charged"
}
charged=$(charges part-1.sotto)
graphs 3 "id,age,town,label,split"
for method in gwldp fedavg; do refused $method "client3 has no 'income', which client1 has"; done
echo "owners of graphs agree by name"
