# What pictures are drawn of: the table t.npz of four graphs, and bench.yaml of one training.
mkdir shapes
printf '1\n1\n2\n2\n3\n3\n4\n4\n' > shapes/shapes_graph_indicator.txt
printf '1, 2\n2, 1\n3, 4\n4, 3\n5, 6\n6, 5\n7, 8\n8, 7\n' > shapes/shapes_A.txt
printf '0\n1\n0\n1\n' > shapes/shapes_graph_labels.txt
"$SOTTO" compare shapes --by size --out t.npz > /dev/null 2>&1 || fail "no table"
cat > bench.yaml << 'END'
seeds: 1
epsilons: [inf]
levels: [edge]
options: {hidden: 4, epochs: 2}
datasets: {made: {sbm: {nodes: 60, classes: 2, features: 4}}}
methods: {mlp: {levels: {none: }}}
END
