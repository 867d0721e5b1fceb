#!/bin/sh
# The packages in a bare root of Debian 12: deb_test.sh [FOLDER], else dist/. Install, a demo, three services that train together,
# purge; nothing is left. Needs root, debootstrap, and a package archive; the bare root is kept in build-deb/root.tar.
set -eu
cd "$(dirname "$0")/.."
packages=${1:-dist}
[ "$(id -u)" -eq 0 ] || { echo "need root, for a root of its own" >&2; exit 1; }
command -v debootstrap > /dev/null || { echo "need debootstrap" >&2; exit 1; }
root=$(mktemp -d)
trap 'umount "$root/proc" 2> /dev/null || true; rm -rf "$root"' EXIT
fail() { echo "FAILED: $*" >&2; exit 1; }
if [ ! -f build-deb/root.tar ]; then
  mkdir -p build-deb
  debootstrap --variant=minbase bookworm "$root" > build-deb/debootstrap.log
  tar -cf build-deb/root.part -C "$root" . && mv build-deb/root.part build-deb/root.tar
else
  tar -xf build-deb/root.tar -C "$root"
fi
chmod 755 "$root" # a user of its own goes in there
cp -r /etc/apt/apt.conf.d /etc/apt/sources.list* "$root/etc/apt/"
rm -f "$root/etc/apt/apt.conf.d/"docker-*
cp /etc/resolv.conf "$root/etc/resolv.conf"
mount -t proc proc "$root/proc"
inside() { LC_ALL=C.UTF-8 DEBIAN_FRONTEND=noninteractive chroot "$root" "$@"; }
as_sotto() { # as_sotto COMMAND...: as the user of the services, with a network of its own
  LC_ALL=C.UTF-8 unshare -n sh -c 'ip link set lo up; exec chroot --userspec=sotto:sotto "$@"' sh "$root" "$@"
}

cp "$packages"/*.deb "$root/tmp/"
inside sh -c 'apt-get update -qq && apt-get install -y -qq --no-install-recommends /tmp/*.deb' > "$root/tmp/install.log" 2>&1 ||
  { tail -n 20 "$root/tmp/install.log" >&2; fail "the packages do not install"; }
inside sotto --version
[ "$(stat -c '%a %U' "$root/var/lib/sotto" 2> /dev/null)" = "700 UNKNOWN" ] ||
  [ "$(inside stat -c '%a %U' /var/lib/sotto)" = "700 sotto" ] || fail "/var/lib/sotto is not the service's own"

# A demo as the service's user.
as_sotto sh -euc 'cd /var/lib/sotto; mkdir demo; cd demo; export HOME=$PWD
  sotto data generate sbm --nodes 300 --out g.sotto
  sotto train --method gap --data g.sotto --epochs 5 --encoder-epochs 5 --out run
  sotto predict run --nodes 0-4
  sotto ledger verify; ln -s run served; chmod -R a-w .' > "$root/tmp/demo.log" 2>&1 || { cat "$root/tmp/demo.log" >&2; fail "the demo"; }

# The answers of that run, by the command of their unit, from a folder that cannot be written to.
sed -n 's/^ExecStart=//p' "$root/lib/systemd/system/sotto-serve@.service" > "$root/tmp/command"
as_sotto timeout 60 bash -euc 'cd /var/lib/sotto/demo; export HOME=$PWD OPTIONS="--listen 127.0.0.1:8080"
  eval "exec $(cat /tmp/command)" 2> /tmp/serve.log & pid=$!
  for _ in $(seq 100); do (exec 3<> /dev/tcp/127.0.0.1/8080) 2> /dev/null && break; sleep 0.1; done
  exec 3<> /dev/tcp/127.0.0.1/8080
  printf "GET /ready HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n" >&3
  head -n 1 <&3 | grep -q " 200 " || { cat /tmp/serve.log; exit 1; }
  kill "$pid"; wait "$pid"' || fail "the service of answers"
rm -rf "$root/var/lib/sotto/demo"

# The three-party trial of the containers, step by step the same.
cp packaging/container/trial.sh "$root/tmp/trial.sh"
as_sotto timeout 120 sh -euc 'mkdir /tmp/exchange; cd /var/lib/sotto; mkdir trial; cd trial; export EXCHANGE=/tmp/exchange
  port=7443; pids=
  for party in north:server bank:holder1 shop:holder2; do
    LISTEN=127.0.0.1:$port sh /tmp/trial.sh "${party%:*}" "${party#*:}" 127.0.0.1:$port > "${party%:*}.log" 2>&1 & pids="$pids $!"
    port=$((port + 1))
  done
  for pid in $pids; do wait $pid || { tail -n 5 ./*.log; exit 1; }; done
  [ -s north/runs/run-server/model.safetensors ] && [ -s bank/runs/run-holder1/statement.json ]' || fail "the trial of three"

# The service: the command, the folder and the environment of its unit; systemd itself does not run in a root like this one.
unit=$root/lib/systemd/system/sotto-run@.service
for folder in north bank shop; do
  install -d "$root/var/lib/sotto/$folder"
  cp -r "$root/var/lib/sotto/trial/$folder/." "$root/var/lib/sotto/$folder/"
  rm -rf "$root/var/lib/sotto/$folder/runs"
done
chown -R --reference="$root/var/lib/sotto/trial" "$root/var/lib/sotto"
sed -n 's/^ExecStart=//p' "$unit" > "$root/tmp/command"
grep -q "^WorkingDirectory=/var/lib/sotto/%i$" "$unit" || fail "the unit has another folder"
as_sotto timeout 120 sh -euc 'pids=; port=7443
  for name in north bank shop; do
    case $name in north) data=none ;; bank) data=part-1.sotto ;; shop) data=part-2.sotto ;; esac
    (cd /var/lib/sotto/$name; export SOTTO_PARTY=$PWD/party SOTTO_LEDGER=$PWD/ledger.db SOTTO_LEDGER_KEY=$PWD/ledger.key
     export OPTIONS="--data $data --listen 127.0.0.1:$port"; eval "exec $(cat /tmp/command)") > /tmp/$name.log 2>&1 & pids="$pids $!"
    port=$((port + 1))
  done
  for pid in $pids; do wait $pid || { tail -n 5 /tmp/*.log; exit 1; }; done' || fail "the services"
[ -s "$root/var/lib/sotto/north/runs/run-server/model.safetensors" ] || fail "the services left no model"

# Keys and ledgers stay at a purge; without them nothing does.
inside apt-get purge -y -qq sotto libsotto0 libsotto-dev > "$root/tmp/purge.log" 2>&1 || fail "purge"
[ -s "$root/var/lib/sotto/north/ledger.db" ] || fail "a purge took a ledger away"
rm -rf "$root/var/lib/sotto"
inside sh -c 'apt-get install -y -qq --no-install-recommends /tmp/sotto_*.deb && apt-get purge -y -qq sotto' > "$root/tmp/purge.log" 2>&1 ||
  fail "install and purge"
! grep -q "^sotto:" "$root/etc/passwd" || fail "the user is left"
left=$(find "$root" -xdev -path "$root/proc" -prune -o -path "$root/tmp" -prune -o -path "$root/var/log" -prune -o -path "$root/var/cache" -prune -o -iname '*sotto*' -print)
[ -z "$left" ] || fail "left behind: $left"
echo "install, demo, trial of three, services, purge: all well"
