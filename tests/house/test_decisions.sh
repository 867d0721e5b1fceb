#!/bin/sh
# No function decides by a digest of data unless scripts/decisions.txt has the reason; a planted one is found by its line, and so is a
# reason of a function that is gone.
set -eu
cd "$SOTTO_SOURCE"
python3 -B scripts/decisions.py
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
mkdir -p "$folder/scripts" "$folder/src/a" "$folder/app" "$folder/python/sotto"
cat > "$folder/src/a/a.c" <<'C'
/* Speaks of a digest, and compares nothing. */
static void store(thing *t) { memcpy(t->digest, t->data->digest, 32); }
static int
seen_before(const thing *a, const dataset *b) {
  return memcmp(a->digest, b->digest, 32) == 0;
}
static bool is_text(const char *a) {
  return strcmp(a, "digest") == 0; /* a digest in a text alone */
}
sotto_status use(thing *t, const dataset *data, sotto_error *err) {
  return sotto_i_data_file_is_of(&t->own, t->run, data, t->options, true, err);
}
C
printf 'class Cache:\n    def find(self, graph):\n        return self.models[graph.digest]\n' > "$folder/python/sotto/a.py"
printf 'src/a/a.c use: an answer about the own data\nsrc/a/b.c gone: a function that was here before\n' > "$folder/scripts/decisions.txt"
found=$(python3 -B scripts/decisions.py --root "$folder" | cut -d: -f 1-3 | sort) || true
wanted='python/sotto/a.py:2: find compares and speaks of a digest. If private data decides there, let the caller'"'"'s word decide; else give the reason in scripts/decisions.txt
scripts/decisions.txt: src/a/b.c gone: compares no digest any more; remove the line
src/a/a.c:4: seen_before compares and speaks of a digest. If private data decides there, let the caller'"'"'s word decide; else give the reason in scripts/decisions.txt'
[ "$found" = "$wanted" ] || { printf 'found:\n%s\n' "$found" >&2; exit 1; }
