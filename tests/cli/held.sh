# Runs that stand still in the middle, since nobody reads what they say.

# narrow FIFO: makes a pipe of one page, which is soon full. The run is started after it, with `2> FIFO`.
narrow() {
  mkfifo "$1"
  exec 8<> "$1"
  python3 -c 'import fcntl; fcntl.fcntl(8, 1031, 4096)' # F_SETPIPE_SZ
}
# hold FIFO BYTES LOG: reads so much of what the run says into LOG, and no more until `let_go LOG`.
hold() {
  exec 9< "$1"
  head -c "$2" <&9 > "$3"
  exec 8>&-
}
let_go() {
  cat <&9 >> "$1" &
  exec 9<&-
}
