#!/bin/sh
# Holders, and a data and a label party, have different columns of the same customers: names decide which is which. A table whose columns
# stand in another order is the same table; one that lacks a column of the training is refused by name, and the others hear it at once.
. "$(dirname "$0")/common.sh"
. "$(dirname "$0")/holders.sh"

# tables HEADER_OF_BANK HEADER_OF_SHOP: bank.csv, bank.nodes.csv, shop.csv, shop.nodes.csv; what a customer has does not follow from headers.
tables() {
  awk -v bank="$1" -v shop="$2" "$draws"'BEGIN {
    seeded(5); count["bank"] = split(bank, bank_name, ","); count["shop"] = split(shop, shop_name, ",")
    print bank > "bank.nodes.csv"; print shop > "shop.nodes.csv"; print "payer,payee" > "bank.csv"; print "payer,payee" > "shop.csv"
    split("low mid high", words, " "); split("bath leeds york", towns, " ")
    for (v = 0; v < 150; v++) {
      class = v % 3 + 1; row["id"] = "c" v; row["age"] = 20 + 3 * class + int(12 * draw()); row["income"] = 900 * class + int(2000 * draw())
      row["town"] = towns[(class + int(1.4 * draw())) % 3 + 1]; row["visits"] = class + int(5 * draw()); row["spent"] = 10 * class + int(40 * draw())
      row["label"] = words[class]
      for (j = 1; j <= count["bank"]; j++) printf "%s%s", row[bank_name[j]], j < count["bank"] ? "," : "\n" > "bank.nodes.csv"
      for (j = 1; j <= count["shop"]; j++) printf "%s%s", row[shop_name[j]], j < count["shop"] ? "," : "\n" > "shop.nodes.csv"
      if (v > 2) print "c" v - 3 ",c" v > (v % 2 ? "bank.csv" : "shop.csv") } }'
}
first="id,age,income,town" second="id,visits,spent,label"
of_party() { # METHOD ROLE: flags
  case "$1 $2" in
    *holder1) echo "--dir bank --data bank.csv --listen $bank_address --peer hub=$hub_address --peer shop" ;;
    *holder2) echo "--dir shop --data shop.csv --peer hub=$hub_address --peer bank=$bank_address" ;;
    *server) echo "--dir hub --listen $hub_address --peer bank --peer shop" ;;
    *data) echo "--dir bank --data bank.csv --listen $bank_address --peer shop" ;;
    *label) echo "--dir shop --data shop.nodes.csv --peer bank=$bank_address" ;;
  esac
}
run_file_of() { # METHOD
  case $1 in
    vesper) printf 'method: vesper\nepsilon: 4\nhidden: 8\nencoder-epochs: 40\nepochs: 20\ninsecure-seed: 3\ngrace: 60\n' ;;
    vfgnn) printf 'method: vfgnn\nhidden: 8\nepochs: 60\nepsilon: inf\nlabel-holder: 2\ninsecure-seed: 3\ngrace: 60\n' ;;
    *) printf 'method: securegnn\nhidden: 4\nepochs: 6\nlabel-holder: 2\ninsecure-seed: 3\ngrace: 60\n' ;;
  esac
}
own_of() { case $1 in vfgnn) echo "--epsilon inf" ;; securegnn) echo "--method securegnn" ;; esac; }
roles_of() { [ "$1" = vesper ] && echo "data label" || echo "server holder1 holder2"; }
all() { # METHOD NAME: every role of a training, into NAME-ROLE
  run_file_of $1 > names.yaml
  pids=""
  for role in $(roles_of $1); do
    "$SOTTO" run names.yaml --role $role $(of_party $1 $role) --threads 1 --out $2-$role --insecure-seed 3 $(own_of $1) > $role.log 2>&1 &
    pids="$pids $!"
  done
  for pid in $pids; do wait $pid || { cat ./*.log >&2; fail "$1 $2"; }; done
}
ask() { # METHOD NAME: a prediction by all; false where one is refused
  pids="" good=yes
  for role in $(roles_of $1); do
    "$SOTTO" run predict $2-$role --role $role $(of_party $1 $role) > $role.log 2>&1 &
    pids="$pids $!"
  done
  for pid in $pids; do wait $pid || good=no; done
  [ $good = yes ]
}
label_of() { [ "$1" = vesper ] && echo label || echo holder2; }
accuracy() { right "$2-$(label_of $1)"; }
. "$source/tests/cli/client_tables.sh"

for method in vesper vfgnn securegnn; do
  tables $first $second
  all $method "$method-equal"
  tables "town,income,id,age" "label,spent,id,visits"
  all $method "$method-permuted"
  one=$(accuracy $method "$method-equal") two=$(accuracy $method "$method-permuted")
  awk -v one="$one" -v two="$two" 'BEGIN { exit !(one > 0.6 && two > 0.6 && one - two < 0.15 && two - one < 0.15) }' ||
    fail "$method: accuracy $one, and $two with columns in another order"

  # The tables of the first training in another order are its tables: the same answers. Classes keep their names.
  tables $first $second
  ask $method "$method-equal" || { cat ./*.log >&2; fail "$method: answers"; }
  label=$(label_of $method)
  cp $method-equal-$label/predictions.csv first.csv
  head -n 1 first.csv | grep -q "p_high,p_low,p_mid" || { head -n 1 first.csv >&2; fail "$method: other names of classes"; }
  tables "town,income,id,age" "label,spent,id,visits"
  ask $method "$method-equal" || { cat ./*.log >&2; fail "$method: a table in another order is refused"; }
  cmp first.csv $method-equal-$label/predictions.csv || fail "$method: columns in another order give other answers"

  # A table that lacks a column of the training.
  tables "id,age,town" $second
  began=$(date +%s)
  ask $method "$method-equal" && fail "$method: a table without a column is taken"
  [ $(($(date +%s) - began)) -lt 30 ] || fail "$method: the others waited for grace"
  grep -l "Missing: income" ./*.log > lacking || { cat ./*.log >&2; fail "$method: nobody says which column is missing"; }
  [ "$(wc -l < lacking)" -eq 1 ] || { cat lacking >&2; fail "$method: others hear the name of a column"; }
  grep -q "takes no part, since its table was refused" "$label.log" || { cat "$label.log" >&2; fail "$method: the label party does not hear of it"; }
  echo "$method: accuracy $one, and $two with columns in another order"
  rm -f ./*.log

  # The next day's table, with new customers: of holders it is refused, by name and with the way out, which is epsilon inf, and all hear it at once.
  [ $method != vesper ] || continue
  tables $first $second
  sed -i 's/^c149/n149/' bank.nodes.csv shop.nodes.csv
  sed -i 's/c149$/n149/' bank.csv shop.csv
  sed -i 's/^n149,[0-9]*/n149,99/' bank.nodes.csv
  began=$(date +%s)
  ask $method "$method-equal" && fail "$method: answers about another day"
  [ $(($(date +%s) - began)) -lt 30 ] || fail "$method: the others waited for grace with another day"
  grep -q "trained on other data.*give epsilon inf for answers about this, without noise" holder1.log || { cat ./*.log >&2; fail "$method: no way out"; }
  rm -f ./*.log
done
echo "names decide at holders, and at two parties"
