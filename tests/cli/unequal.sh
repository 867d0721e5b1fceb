# What the scripts about unequal clients share, after common.sh: made tables of customers, a server and two clients that wait for a third, and
# whether the run then ends well, or every party is refused at once with the first one's reason, long before `grace`.
port=7401
printf 'method: fedavg\nclients: 3\nrounds: 5\nhidden: 8\ngrace: 60\n' > run.yaml

# table NAME ROWS CLASSES COLUMNS: customers whose columns say their class.
table() {
  awk -v name="$1" -v rows="$2" -v classes="$3" -v columns="$4" 'function draw() { seed = (seed * 1103515245 + 12345) % 2147483648; return seed / 2147483648 }
  BEGIN {
    seed = 11 + rows; wide = split(columns, column, " "); many = split(classes, class, " ")
    line = "id"; for (j = 1; j <= wide; j++) line = line "," column[j]
    print line (many > 0 ? ",label" : "") > (name ".nodes.csv"); print "source,target" > (name ".csv")
    for (v = 0; v < rows; v++) {
      line = v; for (j = 1; j <= wide; j++) line = line "," (many > 0 && v % many == j - 1 ? 0.8 : 0) + draw()
      print line (many > 0 ? "," class[v % many + 1] : "") > (name ".nodes.csv")
      print v "," int(draw() * rows) > (name ".csv")
    }
  }'
}
table first 400 "x y z" "a b c"
table second 400 "x y z" "a b c"

party() { role=$1 out=$2; shift 2; "$SOTTO" run run.yaml --role "$role" --insecure-loopback --method fedavg --adjacency none --threads 1 --out "$out" "$@" > "$out.log" 2>&1; }
# begin FLAGS...: the server and two clients, which wait for the third.
begin() {
  rm -rf s c1 c2 c3 ./*.log
  party server s --listen "$host:$port" --peer client1 --peer client2 --peer client3 "$@" & server_pid=$!
  party client1 c1 --peer "server=$host:$port" --data first.csv "$@" & first_pid=$!
  party client2 c2 --peer "server=$host:$port" --data second.csv "$@" & second_pid=$!
}
third() { party client3 c3 --peer "server=$host:$port" --data "$@"; }

# trains TABLE: with that third client all parties end well.
trains() {
  begin
  third "$1" || { cat c3.log >&2; fail "$1: the client failed"; }
  for pid in $server_pid $first_pid $second_pid; do wait "$pid" || { cat s.log c1.log >&2; fail "$1: another party failed"; }; done
}

hundredths() { awk '{ printf "%d", $1 * 100 }' /proc/uptime; }
# refused TABLE OWN OTHERS FLAGS...: the third client says OWN, all others say OTHERS, within two seconds in one of three runs.
refused() {
  for attempt in 1 2 3; do
    refused_once "$@"
    [ $took -gt 200 ] || return 0
  done
  fail "$1: the others waited $took hundredths of a second, and $attempt times more than 200"
}
refused_once() {
  table=$1 own=$2 others=$3
  shift 3
  begin "$@"
  third "$table" "$@" && fail "$table: the client was not refused"
  began=$(hundredths)
  for pid in $server_pid $first_pid $second_pid; do wait "$pid" && fail "$table: another party ended well" || true; done
  took=$(($(hundredths) - began))
  grep -q "$own" c3.log || { cat c3.log >&2; fail "$table: the client does not say '$own'"; }
  for who in s c1 c2; do
    grep -q "$others" "$who.log" || { cat "$who.log" >&2; fail "$table: $who does not say '$others'"; }
    ! grep -q "an argument is not valid\|nothing has that name\|limit 'grace'" "$who.log" || { cat "$who.log" >&2; fail "$table: $who has no reason"; }
  done
  echo "$table: heard after $took hundredths of a second"
}
