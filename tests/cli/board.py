"""A reader of live boards: board.py get ADDRESS PATH [HEADER: VALUE] prints the status and the body; board.py until ADDRESS
WORDS reads the page until it has them; board.py still ADDRESS WORDS also until the run stands still; board.py follow ADDRESS FILE keeps events in FILE until the server ends them."""
import http.client
import re
import socket
import sys
import time


class Local(http.client.HTTPConnection):
    def connect(self):
        self.sock = socket.socket(socket.AF_UNIX)
        self.sock.settimeout(30)
        self.sock.connect(self.host)


def ask(address, path, headers=None):
    headers = dict(headers or {})
    local = address.startswith("unix:")
    link = Local(address[5:]) if local else http.client.HTTPConnection(address, timeout=30)
    if local:
        headers.setdefault("Host", "localhost")
    link.request("GET", path, headers=headers)
    return link.getresponse()


def get(address, path, *header):
    answer = ask(address, path, [one.split(": ") for one in header])
    print(answer.status)
    print(answer.read().decode(), end="")


def page_of(address):
    try:
        return ask(address, "/").read().decode()
    except OSError:
        return "no answer"


def until(address, words):
    for _ in range(300):
        text = page_of(address)
        if words in text:
            return text
        time.sleep(0.1)
    sys.exit(f"{address} never said '{words}', but:\n{text[-4000:]}")


def still(address, words):
    for _ in range(100):
        before = re.findall("<polyline.*", until(address, words))
        time.sleep(0.3)
        text = page_of(address)
        if re.findall("<polyline.*", text) == before:
            return text
    sys.exit(f"{address} does not stand still")


def follow(address, path):
    with open(path, "w", encoding="utf-8") as file:
        for line in ask(address, "/events"):
            file.write(line.decode())
            file.flush()


print({"get": get, "until": until, "still": still, "follow": follow}[sys.argv[1]](*sys.argv[2:]) or "", end="")
