#!/bin/sh
# The demo at a small size under valgrind: no error, no leak. Needs the program without sanitizers.
. "$(dirname "$0")/common.sh"
command -v valgrind > /dev/null || { echo "SKIPPED: valgrind is not installed"; exit 77; }
[ -x "$SOTTO_PLAIN" ] || { echo "SKIPPED: there is no program without sanitizers here"; exit 77; }

cat > checked << END
#!/bin/sh
exec valgrind --quiet --error-exitcode=99 --leak-check=full --errors-for-leak-kinds=definite,indirect,possible \
  --suppressions="$SOTTO_SOURCE/tests/cli/valgrind.supp" \
  "$SOTTO_PLAIN" "\$@"
END
chmod +x checked
DEMO_OUT=$folder/demo DEMO_EPOCHS=3 "$SOTTO_SOURCE/scripts/demo.sh" "$folder/checked" 400 > output 2>&1 ||
  { cat output >&2; fail "valgrind objects"; }
grep -q "private model" output || fail "the demo did not reach its table"
