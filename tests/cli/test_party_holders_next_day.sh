#!/bin/sh
# Holders and a server answer about the next day's tables: new ids, absent ids, columns in another order, no labels. Each holder releases
# counts of its new edges, charged to its own ledger, and repeats them at no charge. What cannot answer says so, with the way out.
. "$(dirname "$0")/common.sh"
. "$(dirname "$0")/holders.sh"

# day NAME FIRST HEADER_OF_BANK HEADER_OF_SHOP LAST_TOWN: 240 customers from number FIRST on. What a customer has follows from its number alone.
day() {
  awk -v name="$1" -v begin="$2" -v bank="$3" -v shop="$4" -v last="$5" "$draws"'BEGIN {
    B = name "-bank"; S = name "-shop"; nb = split(bank, bank_name, ","); ns = split(shop, shop_name, ",")
    print bank > (B ".nodes.csv"); print shop > (S ".nodes.csv"); print "payer,payee" > (B ".csv"); print "payer,payee" > (S ".csv")
    split("low mid high", words, " "); split("bath leeds york", towns, " ")
    for (v = begin; v < begin + 240; v++) {
      class = v % 3 + 1; seeded(v); for (k = 0; k < 5; k++) u[k] = draw()
      row["id"] = "c" v; row["age"] = 20 + 5 * class + int(30 * u[1]); row["income"] = 300 * class + int(1500 * u[2])
      row["town"] = v >= begin + 230 ? last : towns[(class + int(2.4 * u[3])) % 3 + 1]; row["visits"] = class + int(6 * u[4]); row["spent"] = 10 * class + int(80 * u[0])
      row["label"] = words[class]
      for (j = 1; j <= nb; j++) printf "%s%s", row[bank_name[j]], j < nb ? "," : "\n" > (B ".nodes.csv")
      for (j = 1; j <= ns; j++) printf "%s%s", row[shop_name[j]], j < ns ? "," : "\n" > (S ".nodes.csv")
      for (k = 3; k <= 36; k += 3) if (v - k >= begin) print "c" v - k ",c" v > (v % 2 ? B ".csv" : S ".csv") } }'
}
day june 0 "id,age,income,town" "id,visits,spent,label" york
day july 100 "town,income,id,age" "spent,id,visits" hull
printf 'method: vfgnn\nhidden: 8\nencoder-epochs: 40\nepochs: 60\nepsilon: 8\nlayers: 2\nlabel-holder: 2\ngrace: 60\n' > run.yaml

SOTTO_LEDGER=$folder/shop.db "$SOTTO" ledger init > /dev/null
of_shop() { SOTTO_LEDGER=$folder/shop.db "$@"; }
of_party() { # ROLE: flags
  case "$1" in
    holder1) echo "--dir bank --listen $bank_address --peer hub=$hub_address --peer shop" ;;
    holder2) echo "--dir shop --peer hub=$hub_address --peer bank=$bank_address" ;;
    server) echo "--dir hub --listen $hub_address --peer bank --peer shop" ;;
  esac
}
data_of() { case "$2" in holder1) echo "--data $1-bank.csv" ;; holder2) echo "--data $1-shop.csv" ;; esac; }
# each COMMAND: runs `COMMAND ROLE` for all three, each in a process, with its words in ROLE.log; false where one fails
each() {
  pids="" good=yes
  for role in server holder1 holder2; do
    case $role in holder2) of_shop $1 $role > $role.log 2>&1 & ;; *) $1 $role > $role.log 2>&1 & ;; esac
    pids="$pids $!"
  done
  for pid in $pids; do wait $pid || good=no; done
  [ $good = yes ]
}
train() { "$SOTTO" run run.yaml --role $1 $(of_party $1) $(data_of june $1) --threads 1 --out run-$1 ${flags:-}; }
answer() { # ROLE: about july, with the flags for all in $flags, and those of holders in $of_holders
  case $1 in server) own= ;; *) own="$(data_of july $1) ${of_holders:-}" ;; esac
  [ $1 != server ] && [ -n "${of_holders:-}" ] && all= || all=${flags:-}
  "$SOTTO" run predict run-$1 --role $1 $(of_party $1) $own $all
}
right() { # FILE: share of the answers that are right; labels follow from ids
  awk -F, 'NR > 1 { split("low mid high", words, " "); id = substr($2, 2); good += words[id % 3 + 1] == $3; rows++ } END { print good / rows }' "$1"
}

each train || { cat ./*.log >&2; fail "the training"; }
[ "$(stat -c %a run-holder1/seed-1/owner-only)" = 700 ] || fail "others may read a share of the first layer"
ls run-holder1/seed-*/owner-only/first.safetensors > /dev/null || fail "a holder keeps no share of the first layer"

flags="--epsilon 4"
each answer || { cat ./*.log >&2; fail "answers about the next day"; }
answers=$(ls run-holder2/predictions-1.csv)
head -n 1 "$answers" | grep -q '^node,id,class,probability,p_high,p_low,p_mid$' || { head -n 2 "$answers" >&2; fail "other names"; }
grep -q '^0,c100,' "$answers" && grep -q '^239,c339,' "$answers" || fail "answers are not of the day's ids"
[ "$(wc -l < "$answers")" -eq 241 ] || fail "not a row a customer"
share=$(right "$answers")
alone=$(sed -n 's/.*"baseline":{"accuracy":{"mean":\([0-9.]*\).*/\1/p' run-holder2/result.json)
awk -v share="$share" -v alone="$alone" 'BEGIN { exit !(share > 0.7 && share > alone + 0.05) }' || fail "$share of the answers are right, and features alone had $alone"
grep -q "10 nodes have a word that the training did not have (town=hull)" holder1.log || { cat holder1.log >&2; fail "the new word is not said"; }
! grep -q hull holder2.log server.log || fail "others hear a word of the bank"
for role in holder1 holder2; do
  grep -q "need a release: .* epsilon 4 at edge level, will be charged" $role.log || { cat $role.log >&2; fail "$role does not say the charge"; }
  grep -q '"epsilon": [34][.0-9]*' run-$role/predictions/1/statement.json || fail "$role has no statement of its release"
  case $role in holder2) check=of_shop ;; *) check= ;; esac
  $check "$SOTTO" statement verify run-$role/predictions/1 > verify.log 2>&1 || { cat verify.log >&2; fail "$role: the statement of the release"; }
done
[ ! -e run-server/predictions ] && [ ! -e run-holder1/predictions-1.csv ] || fail "someone has what is not theirs"
grep -q '"share": 0' run-holder1/predictions.json && fail "new columns went without shares"

# Released again: the same answers, and no charge. Edges have no part in it.
cp "$answers" first.csv
sed -i '2,$d' july-bank.csv july-shop.csv
cp run-holder1/predictions/1/statement.json before.json
of_holders="--again 1" flags="--epsilon 4"
each answer || { cat ./*.log >&2; fail "the release again"; }
cut -d, -f1-3 first.csv > one && cut -d, -f1-3 run-holder2/predictions-2.csv > two
cmp one two || fail "the same release gives other answers"
grep -q "release 1 in .* answers again: nothing is charged" holder1.log || { cat holder1.log >&2; fail "a charge for what was released"; }
[ ! -e run-holder1/predictions/2 ] || fail "a release again makes a new one"
cmp before.json run-holder1/predictions/1/statement.json || fail "the statement changed"

# Other customers at each, in other orders: answers are about the common ones, as `sotto align` lists them.
day july 100 "town,income,id,age" "spent,id,visits" hull
for name in bank shop; do { head -n 1 july-$name.nodes.csv; tail -n +2 july-$name.nodes.csv | sort -r; } > sorted && mv sorted july-$name.nodes.csv; done
sed -i '/,c10[0-4],/d' july-bank.nodes.csv && sed -i 's/c10[0-4]$/c200/; s/^c10[0-4],/c200,/' july-bank.csv
sed -i '/,c33[0-9],/d' july-shop.nodes.csv && sed -i 's/c33[0-9]$/c200/; s/^c33[0-9],/c200,/' july-shop.csv
seq -f c%g 105 329 | shuf --random-source="$source/README.md" > common.txt
of_holders="--ids common.txt --epsilon 4" flags="--epsilon 4"
each answer || { cat ./*.log >&2; fail "other customers at each"; }
[ "$(wc -l < run-holder2/predictions-3.csv)" -eq 226 ] || { cat holder2.log >&2; fail "answers are not about the 225 common customers"; }
! grep -q ',c10[0-4],\|,c33[0-9],' run-holder2/predictions-3.csv || fail "answers about customers that one has alone"
day july 100 "town,income,id,age" "spent,id,visits" hull

of_holders=""

# One holder's budget: nothing is released by anyone, and all hear it at once.
"$SOTTO" ledger budget june-bank.csv --epsilon 17 > /dev/null
before=$(of_shop "$SOTTO" ledger show june-shop.csv | wc -l) began=$(date +%s)
flags="--epsilon 4"
each answer && fail "a release over the budget"
[ $(($(date +%s) - began)) -lt 30 ] || fail "the others waited for grace"
grep -q "nothing was released" holder1.log || { cat ./*.log >&2; fail "the budget is not said"; }
grep -q "takes no part, since" holder2.log || { cat holder2.log >&2; fail "the other holder does not hear of it"; }
[ "$(of_shop "$SOTTO" ledger show june-shop.csv | wc -l)" -eq "$before" ] || fail "the other holder was charged"
"$SOTTO" ledger budget june-bank.csv --epsilon 999 > /dev/null

# Two epsilons, two numbers of customers, a lost share: refused, and nobody gets an answer.
of_holders="" flags=""
two() { case $1 in holder1) flags="--epsilon 4" ;; *) flags="--epsilon 2" ;; esac; answer $1; }
each two && fail "two epsilons"
grep -q "'predict.epsilon' is" ./*.log || { cat ./*.log >&2; fail "nobody says that epsilons differ"; }
flags="--epsilon 4"
cp july-shop.nodes.csv kept.nodes.csv && sed -i '/,c300,/d' july-shop.nodes.csv && cp july-shop.csv kept.csv && sed -i '/c300/d' july-shop.csv
each answer && fail "two lists of customers"
grep -q "has other nodes, or has them in another order" ./*.log || { cat ./*.log >&2; fail "nobody says that customers differ"; }
mv kept.nodes.csv july-shop.nodes.csv && mv kept.csv july-shop.csv
mv run-holder1/seed-1/owner-only/first.safetensors kept
each answer && fail "without a share"
grep -q "is not there: the folder lacks" holder1.log || { cat ./*.log >&2; fail "nobody says that the share is lost"; }
mv kept run-holder1/seed-1/owner-only/first.safetensors

# The whole network under shares, trained before the shop has a budget; it answers below.
rm -rf run-server run-holder1 run-holder2
cp run.yaml counts.yaml
printf 'method: securegnn\nhidden: 8\nepochs: 60\nlabel-holder: 2\ngrace: 60\n' > run.yaml
train_secure() {
  case $1 in holder1) flags="--method securegnn --not-private" ;; *) flags="--method securegnn" ;; esac
  train $1
}
each train_secure || { cat ./*.log >&2; fail "the training of securegnn"; }
for role in server holder1 holder2; do mv run-$role secure-$role; done
mv counts.yaml run.yaml

# Without noise: exact counts, named as exposed, and no charge. A budget refuses them.
train_bare() { # the bank has a budget, and says so at the training; that holds for answers of this run
  case $1 in holder1) flags="--epsilon inf --publication counts --not-private" ;; *) flags="--epsilon inf --publication counts" ;; esac
  train $1
}
each train_bare || { cat ./*.log >&2; fail "the training without noise"; }
flags="--epsilon inf"
each answer || { cat ./*.log >&2; fail "answers without noise"; }
bare=$(right run-holder2/predictions-1.csv)
awk -v bare="$bare" -v alone="$alone" 'BEGIN { exit !(bare > 0.7 && bare > alone + 0.05) }' || fail "$bare of the answers without noise are right"
for role in holder1 holder2; do
  grep -q '"counts"' run-$role/predictions.json || { cat run-$role/predictions.json >&2; fail "$role does not name its counts as exposed"; }
  [ ! -e run-$role/predictions ] || fail "$role made a release"
done
grep -q '"share": 0' run-holder1/predictions.json && fail "new columns without noise went without shares"
of_shop "$SOTTO" ledger budget june-shop.csv --epsilon 999 > /dev/null
each answer && fail "counts without noise of data with a budget"
grep -q "and this run adds no noise" holder2.log || { cat ./*.log >&2; fail "the budget is not said"; }
flags="--epsilon 4"
each answer && fail "a release of a run without noise"
grep -q "this run has no noise, .* give inf" server.log || { cat ./*.log >&2; fail "a finite epsilon is not explained"; }

# The whole network under shares: scores of the new day, without noise, by shares of weights that each holder keeps for itself. A budget
# refuses them, too.
rm -rf run-server run-holder1 run-holder2
for role in server holder1 holder2; do mv secure-$role run-$role; done
weights=seed-1/owner-only/weights.safetensors
for role in holder1 holder2; do
  [ "$(stat -c %a run-$role/$weights)" = 600 ] || fail "others may read the shares of $role"
  grep -q "$weights" run-$role/owner-only/digests.json || fail "the shares of $role are not bound to its run"
done
[ ! -e run-server/$weights ] || fail "the server keeps shares"
before=$(of_shop "$SOTTO" ledger show june-shop.csv | wc -l)
flags="--epsilon inf" of_holders=""
each answer && fail "scores without noise of data with a budget"
grep -q "and this run adds no noise" holder2.log || { cat ./*.log >&2; fail "the budget is not said for securegnn"; }
of_holders="--epsilon inf --not-private"
each answer || { cat ./*.log >&2; fail "answers of securegnn"; }
shared=$(right run-holder2/predictions-1.csv)
awk -v shared="$shared" 'BEGIN { exit !(shared > 0.7) }' || fail "$shared of the answers under shares are right"
for role in holder1 server; do
  grep -q '"exposed": 0' run-$role/predictions.json || { cat run-$role/predictions.json >&2; fail "$role sends something in the clear"; }
done
grep -q '"name": "scores"' run-holder1/predictions.json || { cat run-holder1/predictions.json >&2; fail "holder1 does not name the scores"; }
grep -q '"exposed": \[\]' run-server/predictions.json || { cat run-server/predictions.json >&2; fail "the server exposes something"; }
[ ! -e run-server/predictions-1.csv ] && [ ! -e run-holder1/predictions-1.csv ] && [ ! -e run-holder1/predictions ] || fail "someone has what is not theirs"
[ "$(of_shop "$SOTTO" ledger show june-shop.csv | wc -l)" -gt "$before" ] || fail "the ledger does not show what was opened"
flags="--epsilon 4" of_holders=""
each answer && fail "a release of securegnn"
grep -q "this run has no noise, .* give inf" server.log || { cat ./*.log >&2; fail "a finite epsilon is not explained for securegnn"; }
# Shares that are lost, or of another run, are refused, and nobody gets an answer.
flags="--epsilon inf" of_holders="--epsilon inf --not-private"
rm -f run-holder2/predictions-*.csv
mv run-holder1/$weights kept
each answer && fail "without the shares of holder1"
grep -q "is not there: the folder lacks" holder1.log || { cat ./*.log >&2; fail "nobody says that shares are lost"; }
cp run-holder2/$weights run-holder1/$weights
each answer && fail "with the shares of another party"
grep -q "is not the file of the training: its digest" holder1.log || { cat ./*.log >&2; fail "shares of another party are taken"; }
mv kept run-holder1/$weights
ls run-holder2/predictions-*.csv > /dev/null 2>&1 && fail "a refused prediction wrote a file"
of_holders=""

# Rows of the new day, published once: with noise each holder's own release, which is repeated at no charge; without, exposed.
printf 'method: vfgnn\npublication: rows\nhidden: 8\nepochs: 3\nlayers: 1\nlabel-holder: 2\ngrace: 60\n' > run.yaml
rm -rf run-server run-holder1 run-holder2
flags="--epsilon 8"
each train || { cat ./*.log >&2; fail "the training with rows"; }
before=$(of_shop "$SOTTO" ledger show june-shop.csv | wc -l)
flags="--epsilon 4"
each answer || { cat ./*.log >&2; fail "noisy rows of the next day"; }
[ "$(of_shop "$SOTTO" ledger show june-shop.csv | wc -l)" -gt "$before" ] || fail "rows were not charged"
for role in holder1 holder2; do
  grep -q '"epsilon": [34][.0-9]*' run-$role/predictions/1/statement.json || fail "$role has no statement of its rows"
  ls run-$role/predictions/1/seed-1/published-*.sotto > /dev/null || fail "$role keeps no rows to send again"
done
before=$(of_shop "$SOTTO" ledger show june-shop.csv | wc -l)
sed -i '2,$d' july-bank.csv july-shop.csv
of_holders="--again 1"
each answer || { cat ./*.log >&2; fail "the rows again"; }
[ "$(of_shop "$SOTTO" ledger show june-shop.csv | wc -l)" -eq "$before" ] || fail "rows were charged again"
cut -d, -f1-3 run-holder2/predictions-1.csv > one && cut -d, -f1-3 run-holder2/predictions-2.csv > two
cmp one two || fail "the same rows give other answers"
day july 100 "town,income,id,age" "spent,id,visits" hull
rm -rf run-server run-holder1 run-holder2
printf 'method: vfgnn\npublication: rows\nhidden: 8\nepochs: 60\nlabel-holder: 2\ngrace: 60\n' > run.yaml
of_holders="" flags="--epsilon inf --not-private"
each train || { cat ./*.log >&2; fail "the training with rows without noise"; }
flags="--epsilon inf"
each answer || { cat ./*.log >&2; fail "rows of the next day without noise"; }
rows=$(right run-holder2/predictions-1.csv)
awk -v rows="$rows" 'BEGIN { exit !(rows > 0.7) }' || fail "$rows of the answers by rows are right"
grep -q '"embeddings"' run-holder1/predictions.json || { cat run-holder1/predictions.json >&2; fail "rows are not named as exposed"; }
echo "holders answer about the next day: $share are right, by rows without noise $rows, under shares $shared, where features alone had $alone in training"
