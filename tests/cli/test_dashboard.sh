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
