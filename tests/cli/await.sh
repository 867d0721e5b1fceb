# Waits of scripts: for an event, with a deadline of minutes. No test concludes from how long something took.

# there PATTERN: a file of that pattern is there.
there() {
  # shellcheck disable=SC2086
  ls -d $1 > /dev/null 2>&1
}

# await WHAT COMMAND...: waits until the command succeeds. After ten minutes it shows the files of $logs and fails with WHAT.
await() {
  await_what=$1 await_end=$(($(date +%s) + 600))
  shift
  until "$@" > /dev/null 2>&1; do
    # shellcheck disable=SC2086
    [ "$(date +%s)" -lt "$await_end" ] ||
      { [ -z "${logs-}" ] || cat $logs >&2; echo "FAILED: $await_what" >&2; exit 1; }
    sleep 0.02
  done
}

# ended PID: there is no such process any more.
ended() { ! kill -0 "$1" 2> /dev/null; }

# await_or_end PID WHAT COMMAND...: as await; it is over too when the process has ended.
await_or_end() {
  await_pid=$1 await_for=$2
  shift 2
  await "$await_for" holds_or_ended "$@"
}
holds_or_ended() { "$@" || ended "$await_pid"; }

# catches PID: the process has begun, and hears Ctrl-C (signal 2 among those that it catches).
catches() { grep -q '^SigCgt:.*[2367abef]$' "/proc/$1/status"; }

# moment HUNDREDTHS: lets so many hundredths of a second pass before a kill that must be survived wherever it falls.
moment() { sleep "$(printf '%d.%02d' $(($1 / 100)) $(($1 % 100)))"; }

# random BELOW: the next number of a stream, in $random. $SOTTO_TEST_SEED is its seed; "random" draws one.
seed=${SOTTO_TEST_SEED:-1}
[ "$seed" != random ] || seed=$(od -An -N3 -tu4 /dev/urandom | tr -d ' ')
random() {
  seed=$(((seed * 1103515245 + 12345) % 2147483648))
  random=$((seed / 65536 % $1))
}
