#!/bin/sh
# Edge lists that ranks import, with a table of nodes and without: the bytes of the file and the words are those of one process,
# for 2 and 3 ranks, and so are errors. With a planted fault, an edge that a rank forgets, this test objects.
. "$(dirname "$0")/common.sh"

same() { # WHAT: one.sotto and one.out against what ranks wrote
  cmp one.sotto many.sotto || fail "other bytes of $1 by $count ranks"
  diff one.out many.out >&2 || fail "other words on $1 by $count ranks"
}

python3 - <<'END'
import random
r = random.Random(5)
n = 20000
kinds = {"numbers": [str(3 * i + 7) for i in range(n)], "own": [str(i) for i in range(n)],
         "words": [f"node-{i}" if i % 3 else str(i) if i % 2 else f'"{i}, é"' for i in range(n)]}
for kind, ids in kinds.items():
    plain = kind == "own"
    if not plain:
        r.shuffle(ids)
    with open(f"{kind}.csv", "w") as file:
        file.write("" if plain else "# made\nweight,source,target\n")
        for k in range(200000):
            u, v = int(n * r.random() ** 2), r.randrange(n)
            file.write("# again\n\n" if k % 1000 == 0 else "")
            file.write(f"{u},{v}\r\n" if plain else f"1.5,{ids[u]},{ids[v]}\n")
    with open(f"{kind}.table", "w") as file:
        file.write("id,x,colour,y,label,split,empty,code\n")
        for i, name in enumerate(ids):
            x = "" if i % 11 == 3 else f"{r.gauss(0, 1):.4f}"
            colour = "" if i % 17 == 5 else "red" if i < n // 2 else r.choice(["red", "green", "NA"])
            file.write(f"{name},{x},{colour},{r.randrange(9)},{r.choice(['b', 'a', 'c', ''])},"
                       f"{r.choice(['train', 'test', 'val', ''])},,{r.randrange(4) + i // 5000}\n")
# Fields with line feeds, separators, quotes and signs of comments inside; in the middle one that is longer than a rank's part.
with open("notes.csv", "w") as file:
    file.write("# made \"by hand\nsource,target,why\n")
    for k in range(20000):
        why = f'line,{k}\n#, ""and""\r\n\n,' + ("word\n1,2,3\n" * 80000 if k == 9000 else "")
        file.write(f'{r.randrange(900)}, "{" " * (k % 3)}{r.randrange(900)}" ,"{why}"\n')
with open("notes.table", "w") as file:
    file.write('id,"a\nnote",x\n')
    for i in r.sample(range(900), 900):
        file.write(f'{i},"{r.choice(["u,1", "v", ""])}\n{i},\n",{i % 7}\n')
END

import() { # FILE WORDS...
  from=$1
  shift
  "$SOTTO" data import "$from" one.sotto "$@" > one.out 2> words || { cat words >&2; fail "$from in one process"; }
  for count in 2 3; do
    ranks "$count" ranks_sotto data import "$from" many.sotto "$@" > many.out 2> words || { cat words >&2; fail "$from by $count ranks"; }
    same "$from"
  done
}
import numbers.csv
import words.csv
import own.csv
import numbers.csv --nodes numbers.table --missing mean --types code=category,y=drop
import words.csv --nodes words.table --missing zero --json
import notes.csv
import notes.csv --nodes notes.table --types 'a note=drop'

if ranks 2 ranks_dropping data import words.csv many.sotto > output 2>&1; then
  "$SOTTO" data import words.csv one.sotto > /dev/null 2>&1
  ! cmp -s one.sotto many.sotto || fail "an edge that a rank forgot was not seen in an import"
else
  cat output >&2
  fail "the fault that forgets an edge did not run"
fi

# The words of an error name file, line and column as those of one process do, whichever rank finds it.
wrong() { # WORDS, then what import is given
  words=$1
  shift
  "$SOTTO" data import "$@" > output 2>&1 && fail "$* was imported by one process"
  grep -a '^sotto: ' output > one.out
  grep -q "$words" one.out || { cat output >&2; fail "$* in one process does not say '$words'"; }
  ranks 2 ranks_sotto data import "$@" > output 2>&1 && fail "$* was imported by ranks"
  grep -a '^sotto: ' output | sed 's/^sotto: rank [0-9]*: /sotto: /' > many.out
  diff one.out many.out >&2 || fail "$* by ranks is not refused as by one process"
  [ ! -e no.sotto ] || fail "$* left a file"
}
for at in 2000 150000; do
  sed "${at}s/.*/1,2,3,4/" numbers.csv > bad.csv
  wrong "line $at: has 4 fields" bad.csv no.sotto
  sed "${at}s/.*/1.5,absent,7/" numbers.csv > bad.csv
  wrong "bad.csv: line $at, column 2: 'absent' is not an id" bad.csv no.sotto --nodes numbers.table --missing zero
done
sed "15000s/.*/$(sed -n 30p numbers.table | cut -d , -f 1),1,red,1,a,test,,1/" numbers.table > bad.table
wrong "bad.table: line 15000, column 1: .* stands on a line before" numbers.csv no.sotto --nodes bad.table --missing zero
sed '19000s/^\([0-9]*\),[^,]*/\1,word/' numbers.table > bad.table
wrong "bad.table: line 19000, column 2: 'word' is not a finite number" numbers.csv no.sotto --nodes bad.table --missing zero
awk -F, -v OFS=, 'NR == 16000 { $4 = "" } { print $1, NR == 1 ? "height" : $4 }' numbers.table > bad.table
wrong "bad.table: line 16000, column 2: '' is not a value" numbers.csv no.sotto --nodes bad.table
wrong "has no column 'nothing'" numbers.csv no.sotto --nodes numbers.table --types nothing=drop
expect 1 'without mpirun' ranks 2 ranks_sotto data import one.sotto no.sotto
expect 1 'column named split' ranks 2 ranks_sotto data import numbers.csv no.sotto --split numbers.table
gzip -k notes.csv
expect 1 'ranks read plain UTF-8' ranks 2 ranks_sotto data import notes.csv.gz no.sotto
