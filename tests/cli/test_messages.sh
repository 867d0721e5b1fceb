#!/bin/sh
# Wrong inputs as people type them: what each is answered, and with which exit status.
. "$(dirname "$0")/common.sh"

"$SOTTO" data generate sbm --nodes 3e2 --out g.sotto > /dev/null
[ "$("$SOTTO" data info g.sotto | sed -n 's/^  nodes  *//p')" = 300 ] || fail "3e2 nodes are not 300"
printf 'a,b\n1,2\n' > edges.csv
printf 'source,target,amount\n1,2,5\n2,3,7\n' > paid.csv
printf 'id,x,label\n1,0.5,a\n2,abc,b\n' > nodes.csv
printf 'x' > empty.csv
: > nothing
: > nothing.csv
printf 'PK\003\004zzzz' > bad.npz
printf '{\n' > bad.json
printf 'no certificate\n' > no.crt
printf 'method: vesper\nepsilon: 4\n' > two.yaml
echo page > none.html
"$SOTTO" identity init --name bank --dir id > /dev/null
printf '\000\001\002\003' > bytes
mkdir folder
cat > table << 'END'
2|unknown option --eps; did you mean --epsilon?|train --eps 4
2|unknown option --eps; did you mean --epsilon?|account gaussian --eps 4
2|unknown option --mthod; did you mean --method?|train --mthod best
2|unknown option --no-headr; did you mean --no-header?|train --no-headr
2|unknown option --budget; --help lists|train --data g.sotto --budget 1
2|unknown option --jsn; did you mean --json?|ledger show --jsn
2|there is no 'GAP'; did you mean 'gap'?|train --data g.sotto --method GAP
2|there is no 'bset'; did you mean 'best'?|train --data g.sotto --method bset
2|there is no 'transformer'; `sotto methods` lists all|train --data g.sotto --method transformer
2|'edges' is none of: .*; did you mean 'edge'?|train --data g.sotto --adjacency edges
2|'vertex' is none of: none transfer edge|train --data g.sotto --adjacency vertex
2|'-epsilon': options begin with two hyphens: --epsilon|train -epsilon 4
2|'-nodes': options begin with two hyphens: --nodes|data generate sbm -nodes 4
2|--epsilon needs a value|train --data g.sotto --epsilon
2|--method needs a value|train --method
2|--epsilon needs a value|account gaussian --epsilon
2|epsilon: '4,0' is not a number|train --data g.sotto --epsilon 4,0
2|epsilon: '4%' is not a number|train --data g.sotto --epsilon 4%
2|epsilon: must be above 0|train --data g.sotto --epsilon 0
2|epsilon: -4 is outside|train --data g.sotto --epsilon -4
2|epsilon: 'nan' is not finite|train --data g.sotto --epsilon nan
2|delta: must be at least 0 and below 1|train --data g.sotto --delta 1
2|folds: 3 folds have no meaning with another split than kfold|train --data g.sotto --folds 3
2|a name that ends with .npz|data export g.sotto arrays.csv
2|delta: '1e-400' is nearer to 0|train --data g.sotto --delta 1e-400
2|encoder-epochs: 1e12 is outside 1 to|train --data g.sotto --encoder-epochs 1e12
2|encoder-epochs: '1e-1' is not a whole number|train --data g.sotto --encoder-epochs 1e-1
2|encoder-epochs: '2.55e1' is not a whole number|train --data g.sotto --encoder-epochs 2.55e1
2|seed: '1.5' is not a whole number|train --data g.sotto --seed 1.5
2|seeds: 0 is outside|train --data g.sotto --seeds 0
2|seeds: '1e30' is too large|train --data g.sotto --seeds 1e30
2|threads: 100000 is outside|train --data g.sotto --threads 100000
2|train-share: 2 is outside|train --data g.sotto --train-share 2
2|split: '0.5' is none of|train --data g.sotto --split 0.5
2|memory: '1XB' is no size; write 500M or 4G|train --data g.sotto --memory 1XB
2|g.sotto: is a dataset, not a run file; give it as the option data|train g.sotto
2|bytes: is not a text, and a run file is one|train bytes
2|nodes.csv: line 1: a run file is one mapping|train nodes.csv
2|a.yaml: could not open it|train a.yaml
1|a.sotto: there is no such file or folder|train --data a.sotto
1|g.sotto: label: the native form leaves nothing to choose by it|train --data g.sotto --label kind
1|g.sotto: nodes: the native form leaves nothing to choose|data info g.sotto --nodes nodes.csv
1|g.sotto: direction: the native form leaves nothing to choose|data import g.sotto h.sotto --direction keep
1|bad.npz: direction: npz leaves nothing to choose|data import bad.npz h.sotto --direction drop
1|bad.npz: label: npz leaves nothing to choose|data info bad.npz --label y
1|folder: label: a folder leaves nothing to choose|data info folder --label y
1|bad.npz: is not a zip archive, or was cut short|data info bad.npz
1|bad.json: line 2: is not JSON|data info bad.json
1|nothing.csv: has no edge and no node|data info nothing.csv
1|nothing: is not a known format; known are|data info nothing
1|folder: a TUDataset folder has one file|data info folder
1|its first line has names of a table of nodes|data import nodes.csv out.sotto
1|none/out.sotto: could not create it|data import edges.csv none/out.sotto
1|its nodes have no features to learn from|train --data paid.csv
2|did you mean 'info'?|data inf
2|name a dataset|data info
2|import needs a dataset and the file to write|data import edges.csv
2|name a kind: chains, sbm|data generate
2|generate needs --out|data generate sbm
2|nodes: '-5' is not a whole number|data generate sbm --nodes -5 --out x.sotto
2|nodes: '1e30' is too large|data generate sbm --nodes 1e30 --out x.sotto
2|each class needs a node|data generate sbm --nodes 0 --out x.sotto
2|neighbours outside is 4; it must be from 0 to 0.*fewer neighbours|data generate sbm --classes 1 --out x.sotto
2|neighbours inside is 12; it must be from 0 to 1.5|data generate sbm --nodes 10 --out x.sotto
2|split needs --vertical, --horizontal or --ego|data split g.sotto
2|histogram needs --epsilon|data histogram g.sotto
2|no mechanism is named 'gausian'; did you mean 'gaussian'|account gausian --noise 1
2|noise is 0 or not given; it must be between|account gaussian
2|noise is 0; it must be above 0|account gaussian --noise 0
2|noise: 'x' is not a number|account laplace --noise x
2|name one mechanism|account
1|folder: has no run.yaml; name the folder of a finished run|predict folder
1|none: there is no such folder; name the folder of a finished run|predict none
1|g.sotto: there is no such folder|predict g.sotto
2|name a run folder|predict
2|--ledger: goes with --epsilon or --nightly|predict folder --ledger l.db
2|--account: goes with --epsilon|predict folder --account a
2|--epsilon: name the other dataset|predict folder --epsilon 1
1|folder: has no run.yaml|audit folder
2|none: there is no such run folder; name the folder of a finished run|audit none
1|folder: has no statement.json; name the folder of a finished run|report folder
2|name a run folder, or give --ledger|report
2|name a run folder|serve
2|did you mean 'show'?|ledger shw
2|budget needs --epsilon|ledger budget g.sotto
2|epsilon: must be above 0|ledger budget g.sotto --epsilon -1
1|none: there is no such file or folder|ledger show none
2|init needs --name NAME|identity init
1|no.crt: is not a certificate: it has no line '-----BEGIN CERTIFICATE-----'|identity trust no.crt
1|none.crt: could not open it|identity trust none.crt
2|trust needs the certificate|identity trust
1|'nobody' is not trusted|identity revoke nobody
2|give the run file that all parties hold|run check
2|none.yaml: could not open it|run check none.yaml
0|^  this party|identity list --dir none
2|nodes: '1e16' is above 1e15|plan --method mlp --nodes 1e16 --edges 1
2|nodes: '1.5' is not a whole number|plan --method mlp --nodes 1.5 --edges 1
2|ranks: 1 to 1048576 are possible|plan --method mlp --nodes 1e6 --edges 1e7 --ranks 0
2|how many are there? Give --nodes and --edges, or --data|plan
2|'wl' is none of: paths features|compare g.sotto --by wl --out t.npz
2|did you mean 'paths'?|compare g.sotto --by path --out t.npz
2|--ids names the file|align
2|one word too many|methods gap
2|unknown verb 'trian'; did you mean 'train'?|trian
2|unknown verb 'nothing'|nothing
0|usage: sotto train|help train
0|usage: sotto train|--help train
0|usage: sotto predict|predict -h
0|^sotto 0|version
2|select-by: 'f1' is none of: accuracy auc macro_f1|train --data g.sotto --select-by f1
2|accounting: 'tight' is none of: sound paper|train --data g.sotto --accounting tight
2|task: 'number' is none of: classification regression|train --data g.sotto --task number
2|max-degree: node level of gap needs a declared bound|train --data g.sotto --method gap --adjacency node
2|one holder has nobody to share with|train --data g.sotto --method vfgnn --holders 1
2|clients: 1 is outside 2 to 1024|train --data g.sotto --method fedavg --clients 1
1|500 clients for 300 nodes; at least 2, and one node each|train --data g.sotto --method fedavg --clients 500
2|out: none holds no run to go on with|train --data g.sotto --resume --out none
1|bytes: exists and is not a folder|train --data g.sotto --method gap --out bytes
2|--epsilon is given twice, with 4 and with 5|train --data g.sotto --epsilon 4 --epsilon 5
2|--json is given twice; give it once|data info g.sotto --json --json
2|--log xml: json or text|train --data g.sotto --log xml
1|'x': give HOST:PORT, .HOST.:PORT or unix:PATH|train --data g.sotto --board x
1|none.db: there is no ledger; correct the path, or make one with `sotto ledger init`|train --data g.sotto --ledger none.db
1|make it with `sotto ledger account new 'nobody'`|train --data g.sotto --method gap --account nobody
2|epsilon 0 is outside 0.1 to 20|audit mechanism laplace --epsilon 0
2|3 trials are outside 1000 to|audit mechanism laplace --trials 3
2|the nearest is 'gaussian'|audit mechanism gausian
1|none/key.pem: there is no key; make one with `sotto identity init`|identity renew --dir none
1|'../x' cannot name a party: 1 to 63 letters|identity init --name ../x --dir id
1|is not a file of a consortium, which is an invitation|consortium join g.sotto
2|--role ROLE: what this party does in the run|consortium invite two.yaml
1|role: 'boss' is unknown; it is data or label|consortium invite two.yaml --role boss
2|role: none was given; it is data or label|run two.yaml
2|role: 'boss' is unknown; it is data or label|run two.yaml --role boss
2|name the other party: --peer NAME|run two.yaml --role data
2|one party listens .*, the other connects|run two.yaml --role data --data g.sotto --peer partner
2|--nightly: name tonight's dataset after the run|predict folder --nightly
2|adjacency: 'graph' is not transfer, edge or node|ledger budget g.sotto --epsilon 4 --adjacency graph
2|move needs --reason|ledger move g.sotto
2|restore needs the file of a backup|ledger restore
2|backup: g.sotto is a dataset, and this writes text; nothing was written|ledger backup g.sotto
1|g.sotto: is no ledger, no backup and no export of one|ledger verify g.sotto
2|say new NAME, add NAME DATA, or list|ledger account
2|--owner, --data: go with a run, not with --ledger|report --ledger --owner
1|none.html.sig: there is no signature of none.html|report verify none.html --key id/own.crt
2|verify needs a page and a certificate|report verify
2|name what to do and a run folder: sotto statement verify RUN|statement check folder
1|is one graph; only a collection of graphs can be compared|compare g.sotto --by paths --out t.npz
1|is one graph; only graphs of a collection can be clustered|compare cluster g.sotto --clusters 0
2|--peer-ids names the files with the ids of the other parties|align --ids edges.csv
2|there is no stand-in for 'none'; there are finance|data generate like none --out x.sotto
2|no mechanism is named 'pure'; there are gaussian|account pure --epsilon 1
2|delta is 2; it must be above 0 and below 1|account gaussian --noise 1 --delta 2
END
count=0
while IFS='|' read -r status words command; do
  # the command is several words: SC2086 is meant
  # shellcheck disable=SC2086
  expect "$status" "$words" "$SOTTO" $command < /dev/null
  count=$((count + 1))
done < table
[ "$count" -ge 145 ] || fail "only $count wrong inputs were tried"
echo "$count wrong inputs, each with its answer"
