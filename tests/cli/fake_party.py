"""Something that is no party of the run at a port of HOST, on plain TCP: fake_party.py HOST PORT KIND.
KIND old: a party of protocol 4, which greets; web: a server that answers every line with a page; silent: accepts and
says nothing; full: its queue is full, so the kernel drops what comes, as a firewall does."""
import signal
import socket
import sys


def field(number, value):
    if isinstance(value, int):
        return bytes([number << 3, value])
    return bytes([number << 3 | 2, len(value)]) + value


def hello():
    inner = (field(1, 4) + field(2, b"0.0.9") + field(3, b"data") + field(4, b"") + field(5, bytes(32)) +
             field(6, bytes(range(16))) + field(7, bytes(16)))
    body = field(1, inner)
    return len(body).to_bytes(4, "little") + bytes(4) + body


def main():
    host, port, kind = sys.argv[1:]
    listener = socket.socket()
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    listener.bind((host, int(port)))
    listener.listen(0 if kind == "full" else 16)
    kept = []
    for _ in range(4 if kind == "full" else 0):
        kept.append(socket.socket())
        kept[-1].setblocking(False)
        kept[-1].connect_ex((host, int(port)))
    print("listening", flush=True)
    if kind == "full":
        signal.pause()
    while True:
        client, _ = listener.accept()
        kept.append(client)
        try:
            if kind == "old":
                client.sendall(hello())
            elif kind == "web":
                client.recv(4096)
                client.sendall(b"HTTP/1.1 400 Bad Request\r\n\r\n")
                client.close()
        except OSError:
            pass


main()
