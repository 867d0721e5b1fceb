# What the scripts about tables of clients share, after clients.sh: small tables of customers.

# table NUMBER HEADER [WITHOUT [OTHER]]: part-NUMBER.sotto with these columns in this order, without the class WITHOUT (rows
# of it are another class), with OTHER in place of the word 'york'. The classes are $classes; with $schema the columns are as it states.
table() {
  awk -v classes="${classes:-low mid high}" -v number="$1" -v header="$2" -v without="${3:-}" -v other="${4:-york}" "$draws"'BEGIN {
    seeded(number); names = split(header, name, ","); print header > "nodes.csv"; print "source,target" > "edges.csv"
    split(classes, words, " "); split("bath leeds " other, towns, " "); split("train train train val test", parts, " ")
    for (v = 0; v < 60; v++) {
      class = v % 3 + 1; if (words[class] == without) class = class % 3 + 1
      row["id"] = "c" number "-" v; row["age"] = 20 + 9 * class + int(12 * draw())
      row["income"] = 10 * class * class + int(25 * draw()); row["town"] = towns[(class + int(1.4 * draw())) % 3 + 1]
      row["label"] = words[class]; row["split"] = parts[int(v / 3) % 5 + 1]
      for (j = 1; j <= names; j++) printf "%s%s", row[name[j]], j < names ? "," : "\n" > "nodes.csv"
      if (v > 2) print "c" number "-" v - 3 "," row["id"] > "edges.csv" } }'
  "$SOTTO" data import edges.csv "part-$1.sotto" --nodes nodes.csv ${schema:+--schema "$schema"} > /dev/null || fail "the table of client $1"
}
usual="id,age,income,town,label,split"
right() { sed -n 's/.*"test":{"accuracy":{"mean":\([0-9.]*\).*/\1/p' "$1/result.json"; }
# What all these tables together have, stated.
cat > all.yaml <<'END'
sotto-schema: 1
classes: ["high", "low", "mid", "top"]
columns:
- {name: "id", type: id}
- {name: "age", type: number}
- {name: "income", type: number}
- {name: "town", type: category, words: ["bath", "hull", "leeds", "york"]}
- {name: "label", type: label}
- {name: "split", type: split}
END
