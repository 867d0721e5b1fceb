#!/bin/sh
# A consortium of three, set up by invite and join in three folders as on three machines: what is sent is one file each
# way and then one to all, nobody is trusted before the words, and a changed file does not pass.
. "$(dirname "$0")/common.sh"
"$SOTTO" data generate sbm --nodes 300 --features 16 --out g.sotto > /dev/null
"$SOTTO" data split g.sotto --vertical --holders 2 --features --edges --label-holder 2 --out part > /dev/null
PATH="$folder/bin:$PATH"
mkdir bin north bank shop
ln -s "$SOTTO" bin/sotto
printf '. "%s/await.sh"\n. "$1"\n' "$(dirname "$0")" > await # each party's shell
printf 'method: vfgnn\nhidden: 16\nepochs: 4\nencoder-epochs: 4\nepsilon: 4\nlabel-holder: 2\ngrace: 20\n' > north/run.yaml
mv part-1.sotto bank/data.sotto
mv part-2.sotto shop/data.sotto

# What each party types; `north` organises. The words go by telephone: here, by a file.
cat > north.sh <<END
sotto consortium invite run.yaml --role server --name north --address $host:7001
cp run.invite ../bank && cp run.invite ../shop
await "no answers came" [ -f bank.join -a -f shop.join ]
sotto consortium invite run.invite bank.join shop.join | tee assembled
sed -n 's/^  in words *//p' assembled > ../words
sotto consortium join run.consortium --confirm "\$(cat ../words)"
cp run.consortium ../bank/part && mv ../bank/part ../bank/run.consortium
cp run.consortium ../shop/part && mv ../shop/part ../shop/run.consortium
sotto run check run.yaml --listen $host:7001
sotto run run.yaml --listen $host:7001 --threads 1
END
holder() { # holder NAME ROLE PORT: only goes out without a port
  cat << END
sotto consortium join run.invite --role $2 --name $1 ${3:+--address $host:$3} --agree
cp $1.join ../north/part-$1 && mv ../north/part-$1 ../north/$1.join
await "no consortium came" [ -f run.consortium ]
sotto consortium join run.consortium --confirm "\$(cat ../words)"
sotto run check run.yaml --data data.sotto ${3:+--listen $host:$3}
sotto run run.yaml --data data.sotto ${3:+--listen $host:$3} --threads 1
END
}
holder bank holder1 7002 > bank.sh
holder shop holder2 > shop.sh
sed -i 's/--threads 1/--threads 1 --listen 192.0.2.1:1/' shop.sh # which is not of use to it, and not in its way
for who in north bank shop; do
  [ "$(wc -l < $who.sh)" -lt 15 ] || fail "$who types 15 lines or more"
  (cd $who && { [ $who = north ] || await "no invitation came" [ -f run.invite ]; } && sh -eu "$folder/await" ../$who.sh) > $who.log 2>&1 &
  eval "$who=\$!"
done
# shellcheck disable=SC2154
for pid in $north $bank $shop; do
  wait "$pid" || { tail -n 20 north.log bank.log shop.log >&2; fail "a party failed"; }
done
[ -s north/runs/run-server/model.safetensors ] || fail "the server has no model"
grep -q "peer *ok *'bank' answers" shop.log || { cat shop.log >&2; fail "the check of shop did not reach bank"; }
grep -q "digest *[0-9a-f]\{64\}" bank.log || fail "the terms have no digest"
grep -q "epsilon *4" bank.log || fail "the terms do not show epsilon"
! grep -rl "PRIVATE KEY" --include=*.invite --include=*.join --include=*.consortium --include=*.json . || fail "a private key is out"
digest=$(sed -n 's/^  digest *//p' bank.log | head -n 1)
[ "$(cd shop && sotto consortium terms run.yaml | sed -n 's/^  digest *//p')" = "$digest" ] || fail "the digests differ"

# Agreed by digest, and by the file: other terms do not run.
cd bank
expect 2 "are not those agreed" sotto run run.yaml --data data.sotto --agree "$digest" --hidden 8
expect 2 "are not those agreed" sotto run check run.yaml --data data.sotto --agree 00
expect 2 "this party joined as holder1" sotto run run.yaml --data data.sotto --role holder2
echo "# a word more" >> run.yaml
expect 2 "is not the run file that the consortium agreed on" sotto run run.yaml --data data.sotto
expect 1 "is another run file than the one that came" sotto consortium join run.consortium --confirm "$(cat ../words)"
cd ..
rm -r bank/run.yaml

# Nobody is trusted before the words: not without, not with others, not a changed file. Four letters of each will do.
cp -r bank fresh && rm -r fresh/party/trust fresh/party/joined
cd fresh
expect 2 "give --confirm" sotto consortium join run.consortium
expect 1 "nobody is trusted" sotto consortium join run.consortium --confirm "abandon $(cut -d ' ' -f 2- ../words)"
expect 1 "nobody is trusted" sotto consortium join run.consortium --confirm "$(cut -d ' ' -f -11 ../words)"
sed 's/epsilon: 4/epsilon: 9/' run.consortium > changed.consortium
rm -f run.yaml
expect 1 "the words are not those of this file" sotto consortium join changed.consortium --confirm "$(cat ../words)"
rm -f run.yaml
"$SOTTO" identity init --name shop --dir false > /dev/null
python3 - false/own.crt << 'END'
import json, sys
file = json.load(open("run.consortium"))
for member in file["members"]:
    if member["role"] == "holder2":
        member["certificate"] = open(sys.argv[1]).read()
json.dump(file, open("changed.consortium", "w"))
END
expect 1 "the words are not those of this file" sotto consortium join changed.consortium --confirm "$(cat ../words)"
[ ! -e party/trust ] || fail "somebody is trusted"
short=$(tr ' a-z' '\nA-Z' < ../words | cut -c -4 | tr '\n' ' ')
expect 0 "joined" sotto consortium join run.consortium --confirm "$short"
[ "$(ls party/trust | tr '\n' ' ')" = "north.crt shop.crt " ] || fail "trusted are: $(ls party/trust)"
cd ..

# At a terminal the words are asked for, and not shown.
cp -r bank typed && rm -r typed/party/trust typed/party/joined
cat > typed/type.py << 'END'
import os, pty, sys
words = [b"one two", open("../words", "rb").read().strip()]
seen = b""
def answer(descriptor):
    global seen
    data = os.read(descriptor, 1024)
    seen += data
    if seen.endswith(b"\n  > ") and words:
        os.write(descriptor, words.pop(0) + b"\n")
    return data
def shown():
    return seen.split(b"  > ")[0]
status = pty.spawn([sys.argv[1], "consortium", "join", "run.consortium"], answer)
if open("../words", "rb").read().strip() in shown():
    sys.exit("the words were shown before they were typed")
sys.exit(os.waitstatus_to_exitcode(status))
END
(cd typed && python3 type.py "$SOTTO" < /dev/null > typed.log 2>&1) || { cat typed/typed.log >&2; fail "typed words were not taken"; }
grep -q "these are not the words of this file" typed/typed.log || fail "wrong words were taken"

# Answers that do not fit, and files that are none.
cd north
expect 1 "nobody has the role holder2" sotto consortium invite run.invite bank.join
expect 1 "role: client1, and vfgnn" sotto consortium join run.invite --dir nobody --name nobody --role client1 --file no.join --agree
[ ! -e no.join ] || fail "an answer was written with a role that the run does not have"
python3 - << 'END'
import json
file = json.load(open("shop.join"))
for member in file["members"]:
    if member["role"] == "holder2":
        member["role"] = "holder1"
json.dump(file, open("twice.join", "w"))
file["members"] = [member for member in file["members"] if member["role"] == "holder1"]
file["members"][0].update(role="holder2")
json.dump({**file, "terms": "method: mlp\n"}, open("other.join", "w"))
file["members"][0].update(address="a b:1")
json.dump(file, open("address.join", "w"))
json.dump({**file, "members": [{**file["members"][0], "key": "x"}]}, open("key.join", "w"))
END
expect 1 "both have the role holder1" sotto consortium invite run.invite bank.join twice.join
expect 1 "other.join: it is of another run file" sotto consortium invite run.invite bank.join other.join
expect 1 "address.join: 'a b:1' of 'shop' is not an address" sotto consortium invite run.invite bank.join address.join
expect 1 "key.join: a member has a role, an address and a certificate" sotto consortium invite run.invite bank.join key.join
expect 1 "g.sotto: is not a file of a consortium" sotto consortium join ../g.sotto
expect 2 "this party joined as server" sotto run run.yaml --role holder1
cd ..
mkdir lone
cp north/run.invite lone/
cd lone
expect 2 "give --agree" sotto consortium join run.invite --role holder1 --name lone
expect 1 "give --name NAME" sotto consortium join run.invite --role holder1 --agree
expect 1 "No such file" sotto consortium join nothing.invite
printf 'method: fedavg\n' > bare.yaml
expect 1 "weakens privacy\|adds no noise" sotto consortium invite bare.yaml --role server --name lone
expect 0 "NOT PRIVATE" sotto consortium invite bare.yaml --role server --name lone --adjacency none

# A clock that is off by years: whatever needs the dates names the clock, and a check ends with 19, not as a wrong command.
cd "$folder"
. "$source/tests/cli/dated.sh"
for dates in "20200101000000Z 20210101000000Z has.expired" "20980101000000Z 20990101000000Z is.not.valid.yet"; do
  # shellcheck disable=SC2086
  set -- $dates
  rm -rf off && cp -r fresh off
  dated off/party bank "$1" "$2"
  cd off
  expect 19 "own key *FAILED.*$3.*this machine.s clock says 2" sotto run check run.yaml --data data.sotto
  expect 1 "$3.*this machine.s clock says 2" sotto run run.yaml --data data.sotto
  expect 1 "$3.*this machine.s clock says 2" sotto consortium join run.consortium --confirm "$(cat ../words)"
  cd ..
done
