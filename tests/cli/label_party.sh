# What the scripts about two holders and a label party share, after common.sh: a dataset split among them, a run file of vesper,
# three folders of keys, and how each party is started.
"$SOTTO" data generate sbm --nodes 300 --features 16 --out g.sotto > /dev/null
"$SOTTO" data split g.sotto --vertical --holders 2 --label-holder 3 --out part > /dev/null
printf 'method: vesper\nholders: 2\nhidden: 16\nepochs: 12\nencoder-epochs: 8\nepsilon: 8\nlayers: 2\ninsecure-seed: 3\ngrace: 20\n' > run.yaml
for name in bank shop lab; do "$SOTTO" identity init --name "$name" --dir "$name" > /dev/null; done
for who in bank shop; do
  "$SOTTO" identity trust "lab/own.crt" --dir "$who" > /dev/null
  "$SOTTO" identity trust "$who/own.crt" --dir lab > /dev/null
done
lab_address=$host:7001
own="--insecure-seed 3 --epsilon 8"

# peers ROLE: who it is, and how it meets the others.
peers() {
  case $1 in
    label) echo "--role label --dir lab --listen $lab_address --peer bank --peer shop" ;;
    holder1) echo "--role holder1 --dir bank --peer lab=$lab_address" ;;
    holder2) echo "--role holder2 --dir shop --peer lab=$lab_address" ;;
  esac
}
data_of() { case $1 in label) echo "--data part-3.sotto" ;; *) echo "--data part-${1#holder}.sotto" ;; esac; }
roles="label holder1 holder2"
train() { # ROLE OUT [FLAGS]
  role=$1 out=$2
  shift 2
  ${run:-} $last "$SOTTO" run run.yaml $(peers "$role") $(data_of "$role") --threads 1 --out "$out" $own "$@"
}
train_all() { # SUFFIX [FLAGS]: one whole run, into ROLE-SUFFIX
  suffix=$1 pids=
  shift
  for of in $roles; do train "$of" "$of-$suffix" "$@" > "$of.log" 2>&1 & pids="$pids $!"; done
  for pid in $pids; do wait "$pid" || { tail -n 3 ./*.log >&2; fail "a party failed with $*"; }; done
}
