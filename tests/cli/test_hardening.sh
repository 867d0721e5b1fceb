#!/bin/sh
# What was built is hardened: positions that cannot be foreseen, tables that are read-only once the program runs, a stack
# that is guarded and not executable, checked functions of the C library, branch targets; and a process that holds keys
# leaves no core dump.
. "$(dirname "$0")/common.sh"
plain=$SOTTO
[ "${SOTTO_SANITIZE:-OFF}" != ON ] || plain=$SOTTO_PLAIN # sanitizers bring their own checks of functions
library=$(find "$SOTTO_BUILD" -maxdepth 1 -name 'libsotto.so.*.*' | head -n 1)
[ -n "$library" ] || fail "there is no shared library in $SOTTO_BUILD"

hardened() { # FILE
  readelf -hW "$1" | grep -q "Type: *DYN" || fail "$1 has fixed positions (no PIE)"
  readelf -lW "$1" > segments
  grep -q "GNU_RELRO" segments || fail "$1 has no RELRO"
  grep "GNU_STACK" segments | grep -q " RW  *0x" || fail "$1 has an executable stack"
  ! grep "LOAD" segments | grep -q "RWE" || fail "$1 has a segment that is writable and executable"
  readelf -dW "$1" > dynamic
  grep -Eq "BIND_NOW|FLAGS_1.*NOW" dynamic || fail "$1 binds lazily: its RELRO is partial"
  ! grep -Eq "TEXTREL|RPATH|RUNPATH" dynamic || fail "$1 has text relocations or names a folder of libraries"
  readelf --dyn-syms -W "$1" > symbols
  grep -q "__stack_chk_fail" symbols || fail "$1 has no stack protector"
}
hardened "$plain"
hardened "$library"
readelf --dyn-syms -W "$plain" | grep -q "__[a-z]*printf_chk" || fail "$plain has no checked functions (FORTIFY)"
case $(uname -m) in
  x86_64)
    objdump -d --no-show-raw-insn "$plain" > code
    [ "$(grep -c endbr64 code)" -gt 1000 ] || fail "$plain has no marked branch targets (CET)"
    ;;
esac
# The compiler leaves no trace of this one that can be looked for: every file of ours is compiled with it.
grep '"command"' "$SOTTO_BUILD/compile_commands.json" | grep -e "/src/\|/app/" | grep -v -e "-fstack-clash-protection" > without ||
  true
[ ! -s without ] || { head -n 3 without >&2; fail "these are compiled without stack clash protection"; }

# A process that waits with its keys in memory.
"$SOTTO" data generate sbm --nodes 60 --features 4 --out g.sotto > /dev/null
printf 'method: mlp\ngrace: 60\n' > run.yaml
"$SOTTO" identity init --name bank --dir bank > /dev/null
"$SOTTO" identity init --name partner --dir partner > /dev/null
"$SOTTO" identity trust partner/own.crt --dir bank > /dev/null
ulimit -c unlimited 2> /dev/null || true
"$SOTTO" run run.yaml --role data --data g.sotto --dir bank --peer partner --out d \
  --listen "$host:7001" > log 2>&1 &
pid=$!
# It has read its private key when it has locked memory; a busy machine may take its time.
logs=log locked=0
has_locked() {
  locked=$(sed -n 's/^VmLck:[^0-9]*\([0-9]*\).*/\1/p' "/proc/$pid/status" 2> /dev/null || true)
  locked=${locked:-0}
  [ "$locked" -gt 0 ]
}
[ "$(ulimit -l)" = 0 ] || await_or_end "$pid" "a process with keys has no locked memory" has_locked
! ended "$pid" || { cat log >&2; fail "the party ended"; }
cp "/proc/$pid/limits" limits
kill "$pid"
wait "$pid" || true
grep -q "Max core file size *0 *0 " limits || { cat limits >&2; fail "a process with keys would leave a core dump"; }
[ "$locked" -gt 0 ] || [ "$(ulimit -l)" = 0 ] || { cat log >&2; fail "a process with keys has no locked memory"; }
SOTTO_CORE_DUMPS=1 "$SOTTO" --version > output 2>&1
grep -q "SOTTO_CORE_DUMPS is set" output || fail "core dumps are on, and nothing is said"
