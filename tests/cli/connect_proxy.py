"""A small HTTP proxy that knows CONNECT alone: connect_proxy.py HOST PORT [PORT ...]. It carries connections to the given
ports of HOST, refuses all others with 403, prints its own port, and then a line for each request."""
import selectors
import socket
import sys
import threading


def carry(one, other):
    both = selectors.DefaultSelector()
    both.register(one, selectors.EVENT_READ, other)
    both.register(other, selectors.EVENT_READ, one)
    while True:
        for key, _ in both.select():
            try:
                data = key.fileobj.recv(65536)
                if data:
                    key.data.sendall(data)
            except OSError:
                data = b""
            if not data:
                return


def serve(client, allowed):
    with client:
        head = b""
        while b"\r\n\r\n" not in head and len(head) < 4096:
            piece = client.recv(4096)
            if not piece:
                return
            head += piece
        line = head.split(b"\r\n")[0].decode()
        print(line, flush=True)
        word, target, _ = line.split(" ")
        host, _, port = target.rpartition(":")
        if word != "CONNECT" or port not in allowed:
            client.sendall(b"HTTP/1.1 403 Forbidden\r\nContent-Length: 0\r\n\r\n")
            return
        try:
            server = socket.create_connection((host, int(port)), timeout=10)
        except OSError:
            client.sendall(b"HTTP/1.1 502 Bad Gateway\r\nContent-Length: 0\r\n\r\n")
            return
        with server:
            server.settimeout(None)
            client.sendall(b"HTTP/1.1 200 Connection established\r\nVia: test\r\n\r\n")
            carry(client, server)


def main():
    listener = socket.socket()
    listener.bind((sys.argv[1], 0))
    listener.listen(64)
    print(listener.getsockname()[1], flush=True)
    while True:
        client, _ = listener.accept()
        threading.Thread(target=serve, args=(client, sys.argv[2:]), daemon=True).start()


main()
