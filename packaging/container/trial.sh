#!/bin/sh
# One party of a trial of three on made-up data: trial.sh NAME ROLE HOST:PORT. The folder $EXCHANGE stands for mail and
# telephone, so everybody believes the words at once: for trials alone.
set -eu
name=$1 role=$2 address=$3 exchange=${EXCHANGE:-/exchange}
mkdir -p "$name"
cd "$name"
export SOTTO_LEDGER="$PWD/ledger.db" SOTTO_LEDGER_KEY="$PWD/ledger.key" SOTTO_PARTY="$PWD/party"
await() { until [ -e "$exchange/$1" ]; do sleep 0.2; done; cp "$exchange/$1" .; }
give() { cp "$1" "$exchange/.$1.$name"; mv "$exchange/.$1.$name" "$exchange/$1"; }
sotto ledger init
case $role in
server)
  sotto data generate sbm --nodes 400 --features 16 --out whole.sotto
  sotto data split whole.sotto --vertical --holders 2 --features --edges --label-holder 2 --out part
  give part-1.sotto
  give part-2.sotto
  printf 'method: vfgnn\nepsilon: 4\nlabel-holder: 2\nencoder-epochs: 20\nepochs: 20\ngrace: 60\n' > run.yaml
  sotto consortium invite run.yaml --role server --name "$name" --address "$address"
  give run.invite
  await holder1.join
  await holder2.join
  sotto consortium invite run.invite holder1.join holder2.join > assembled
  sed -n 's/^  in words *//p' assembled > words
  give words
  give run.consortium ;;
*)
  await run.invite
  sotto consortium join run.invite --role "$role" --name "$name" --address "$address" --agree --file "$role.join"
  give "$role.join"
  await words
  await run.consortium
  await "part-${role#holder}.sotto" ;;
esac
sotto consortium join run.consortium --confirm "$(cat words)"
data=part-${role#holder}.sotto
[ "$role" != server ] || data=none
sotto run run.yaml --data "$data" --listen "${LISTEN:-0.0.0.0:${address##*:}}"
