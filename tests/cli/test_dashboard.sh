#!/bin/sh
# The dashboard shows every metric that services and boards tell, and no others.
. "$(dirname "$0")/common.sh"
dashboard=$SOTTO_SOURCE/packaging/grafana/sotto.json
python3 -m json.tool "$dashboard" > /dev/null || fail "$dashboard is not JSON"
grep -oh '"sotto_[a-z_]*"' "$SOTTO_SOURCE"/app/serve/*.c "$SOTTO_SOURCE"/app/board/*.c "$SOTTO_SOURCE"/app/watch/*.c |
  tr -d '"' | sed 's/_seconds_\(bucket\|sum\|count\)$/_seconds/' | sort -u > told
grep -oh 'sotto_[a-z_]*' "$dashboard" | sed 's/_bucket$//' | sort -u > shown
[ "$(wc -l < told)" -ge 20 ] || fail "few metrics were found in the sources: $(cat told)"
diff told shown || fail "metrics that are told (<) and shown (>) differ"
# One that is served has the labels by which panels name their lines.
for label in code le run peer kind; do
  grep -q "\"$label\"" "$SOTTO_SOURCE"/app/serve/text.c || fail "no metric has the label $label"
done

# Each alarm of docs/operate.md is a message of the program: its words between names, numbers and commas stand in the sources.
# Two are OpenSSL's.
python3 - "$SOTTO_SOURCE" << 'END' || fail "the alarms of docs/operate.md"
import pathlib, re, sys
root = pathlib.Path(sys.argv[1])
files = [path for room in ("src", "app") for path in (root / room).rglob("*.c")]
sources = re.sub(r'"\s*(?:PRI\w+\s*)?"', "", "\n".join(path.read_text(encoding="utf-8") for path in files))
table = (root / "docs/operate.md").read_text(encoding="utf-8").split("## Alarms")[1].split("\n## ")[0]
rows = [line.split("|")[1] for line in table.splitlines() if line.startswith("| `")]
missing = []
for message in (text for row in rows for text in re.findall(r"`([^`]+)`", row)):
    for part in re.split(r"'?\b[A-Z]\b'?|\.\.\.|\b3\b|[,:;] |'grace'|certificate (?:not trusted|has expired)", message):
        words = part.strip(" ,;:")
        if words and words not in sources:
            missing.append(f"{message}: no source says '{words}'")
print(*missing, sep="\n")
sys.exit(1 if missing or len(rows) < 12 else 0)
END
