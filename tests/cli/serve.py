"""What test_serve.sh asks of `sotto serve`: serve.py ADDRESS STEP ... Ends with a sentence when something is wrong."""
import csv
import hashlib
import http.client
import json
import os
import random
import re
import socket
import sys
import threading
import time


class Local(http.client.HTTPConnection):
    """HTTP over a Unix socket."""

    def connect(self):
        self.sock = socket.socket(socket.AF_UNIX)
        self.sock.connect(self.host)


def link(address):
    if address.startswith("unix:"):
        return Local(address[5:])
    return http.client.HTTPConnection(address, timeout=60)


def ask(address, method, path, body=None, headers=None):
    """Status and body."""
    to = link(address)
    heads = {"Host": "localhost", **({"Content-Type": "application/json"} if method == "POST" else {})}
    heads.update(headers or {})
    to.request(method, path, body=body, headers=heads)
    answer = to.getresponse()
    out = answer.status, answer.read().decode()
    to.close()
    return out


def need(good, what):
    if not good:
        sys.exit(f"serve.py: {what}")


def until(address, what, words):
    """Waits until GET what has the words."""
    text = ""
    for _ in range(600):
        try:
            status, text = ask(address, "GET", what)
            if words in text and status < 500:
                return
        except OSError:
            pass
        time.sleep(0.05)
    sys.exit(f"serve.py: {what} never said {words}: {text}")


def turns(address, method, what, code, words, body=None):
    """Waits until a request is answered with that status and the words."""
    seen = ""
    for _ in range(600):
        try:
            status, text = ask(address, method, what, body)
            if status == code and words in text:
                return
            seen = f"{status} {text}"
        except OSError as problem:
            seen = str(problem)
        time.sleep(0.05)
    sys.exit(f"serve.py: {method} {what} never said {code} {words}: {seen}")


def exact(address, path, file):
    """The answers as a file of predictions are that file, byte for byte."""
    text = open(file).read()
    nodes = [int(line.split(",")[0]) for line in text.splitlines()[1:]]
    status, body = ask(address, "POST", path, json.dumps({"nodes": nodes}))
    need(status == 200, f"{path}: {status} {body}")
    out = text.splitlines()[0] + "\n"
    for answer in json.loads(body, parse_float=str, parse_int=str)["answers"]:
        by_class = dict(zip(map(int, answer["classes"]), answer["probabilities"]))
        row = [answer["node"], answer["classes"][0], answer["probabilities"][0]] + [by_class[c] for c in sorted(by_class)]
        out += ",".join(row) + "\n"
    need(out == text, f"{path}: answers are not those of {file}")


def check_error(status, text, case):
    try:
        error = json.loads(text)["error"]
    except (ValueError, KeyError):
        sys.exit(f"serve.py: {case}: {status} without an error in JSON: {text}")
    need(set(error) == {"what", "where", "todo"} and all(error.values()), f"{case}: {text}")


def same(address, path, file):
    """Every answer is what `sotto predict` wrote."""
    rows = list(csv.reader(open(file)))[1:]
    status, text = ask(address, "POST", path, json.dumps({"nodes": [int(row[0]) for row in rows]}))
    need(status == 200, f"{path}: {status} {text}")
    answers = json.loads(text)["answers"]
    need(len(answers) == len(rows), f"{path}: {len(answers)} answers for {len(rows)} nodes")
    for row, answer in zip(rows, answers):
        wanted = [float(p) for p in row[3:]]
        got = dict(zip(answer["classes"], answer["probabilities"]))
        need(answer["node"] == int(row[0]) and len(got) == len(wanted), f"{path}: {row} is not {answer}")
        need(all(abs(got[c] - p) < 1e-5 for c, p in enumerate(wanted)), f"{path}: {row} is not {answer}")
        need(answer["classes"][0] == int(row[1]), f"{path}: class of {row} is not that of {answer}")
        need(answer["probabilities"] == sorted(answer["probabilities"], reverse=True), f"{path}: order of {answer}")


CASES = [("POST", "/predict", '{"nodes":[0]}', 200), ("POST", "/predict/new", '{"nodes":[0,0,1],"top":1}', 200),
         ("POST", "/predict/other", '{"nodes":[0]}', 404), ("POST", "/predict/", '{"nodes":[0]}', 404),
         ("POST", "/predict", "", 400), ("POST", "/predict", "[]", 400), ("POST", "/predict", "{}", 400),
         ("POST", "/predict", '{"nodes":[]}', 400), ("POST", "/predict", '{"nodes":[-1]}', 400),
         ("POST", "/predict", '{"nodes":[300]}', 400), ("POST", "/predict", '{"nodes":[1.0]}', 400),
         ("POST", "/predict", '{"nodes":["1"]}', 400), ("POST", "/predict", '{"nodes":[true]}', 400),
         ("POST", "/predict", '{"nodes":[99999999999999999999]}', 400), ("POST", "/predict", '{"nodes":[4294967296]}', 400),
         ("POST", "/predict", '{"nodes":[0],"nodes":[1]}', 400), ("POST", "/predict", '{"nodes":[0],"top":0}', 400),
         ("POST", "/predict", '{"nodes":[0],"top":99}', 400), ("POST", "/predict", '{"nodes":[0],"top":"all"}', 400),
         ("POST", "/predict", '{"nodes":[0],"fresh":true}', 400), ("POST", "/predict", '{"nodes":[0]} x', 400),
         ("POST", "/predict", '{"nodes":[0],"features":[[1]]}', 403), ("POST", "/predict", '{"nodes":[0],"edges":[]}', 403),
         ("POST", "/predict", json.dumps({"nodes": [0] * 10001}), 413), ("POST", "/predict", "[" * 200000, 400),
         ("POST", "/predict", "x" * 300000, 413), ("GET", "/predict", None, 405), ("POST", "/health", "", 405),
         ("DELETE", "/reload", None, 405), ("GET", "/", None, 404), ("GET", "/statement/other", None, 404),
         ("GET", "/statement/new", None, 200), ("GET", "/ready", None, 200), ("HEAD", "/health", None, 200)]


def cases(address):
    for method, path, body, wanted in CASES:
        status, text = ask(address, method, path, body)
        need(status == wanted, f"{method} {path} {str(body)[:60]}: {status}, not {wanted}: {text[:300]}")
        if wanted >= 400:
            check_error(status, text, f"{method} {path} {str(body)[:60]}")


def documented(file):
    """{(method, path): statuses} of an OpenAPI file in the layout of docs/openapi.yaml."""
    out, path, method = {}, None, None
    for line in open(file):
        if re.match(r"  /\S*:$", line):
            path = line.strip()[:-1]
        elif re.match(r"    (get|post):$", line):
            method = line.strip()[:-1].upper()
            out[method, path] = set()
        elif re.match(r'        "\d+":', line):
            out[method, path].add(int(line.strip()[1:4]))
    return out


def mutate(rng, text):
    data = bytearray(text.encode())
    for _ in range(rng.choice([0, 1, 1, 2, 5, 20])):
        at = rng.randrange(len(data) + 1)
        kind = rng.randrange(5)
        if kind == 0:
            data[at:at] = bytes([rng.randrange(256)])
        elif kind == 1 and data:
            del data[min(at, len(data) - 1)]
        elif kind == 2 and data:
            data[min(at, len(data) - 1)] = rng.choice(b'{}[]":,\r\n\0 \xff/%?0')
        elif kind == 3:
            data[at:at] = bytes(data[rng.randrange(len(data) + 1):][:rng.randrange(50)])
        else:
            data[at:at] = b"A" * rng.choice([10, 1000, 20000, 70000])
    return bytes(data)


def fuzz_one(rng, host, port):
    """One broken request on a connection of its own; what came back."""
    body = rng.choice(['{"nodes":[0,1,2]}', '{"nodes":[0],"top":2}', '{"nodes":' + "[" * 50, '{"top":1,"nodes":[7]}', "", "\0\0",
                       '{"nodes":[1e400]}', '{"n\\u0000odes":[1]}', '{"nodes":[0,' + "1," * 3000 + "1]}"])
    length = rng.choice([len(body)] * 6 + [0, len(body) + 5, -1, 10**9, 10**30, "x", ""])
    head = rng.choice([f"Content-Length: {length}\r\n", f"Content-Length: {length}\r\n", "Transfer-Encoding: chunked\r\n", ""])
    path = rng.choice(["/predict", "/predict/new", "/predict/%2e%2e", "/metrics", "/statement", "/health?x=%zz", "//", "*"])
    text = f"{rng.choice(['POST', 'POST', 'GET', 'BREW'])} {path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n{head}\r\n{body}"
    to = socket.create_connection((host, port), timeout=60)
    try:
        to.sendall(mutate(rng, text))
        if rng.random() < 0.2:
            to.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, b"\1\0\0\0\0\0\0\0")
            return b""
        to.shutdown(socket.SHUT_WR)
        out = b""
        while True:
            piece = to.recv(65536)
            if not piece:
                return out
            out += piece
    except TimeoutError:
        raise  # an answer or the end of the connection has to come
    except OSError:
        return b""
    finally:
        to.close()


def fuzz(address, rounds, openapi):
    given = os.environ.get("SOTTO_TEST_SEED") or "1"
    seed = random.SystemRandom().randrange(10**9) if given == "random" else int(given)
    print(f"SOTTO_TEST_SEED={seed}")
    rng = random.Random(seed)
    host, port = address.rsplit(":", 1)
    known = set().union(*documented(openapi).values()) | {404, 405, 411, 414, 417, 431, 501, 505}  # the last ones are of no path
    seen = {}
    for i in range(rounds):
        answer = fuzz_one(rng, host, int(port))
        if answer.startswith(b"HTTP/1."):
            status = int(answer.split(b" ", 2)[1])
            need(status in known, f"seed {seed}, round {i}: status {status} is not documented: {answer[:300]}")
            seen[status] = seen.get(status, 0) + 1
        else:
            need(answer == b"", f"seed {seed}, round {i}: no HTTP: {answer[:300]}")
        if i % 50 == 0:
            need(ask(address, "POST", "/predict", '{"nodes":[3]}')[0] == 200, f"seed {seed}, round {i}: it answers no more")
    need(sum(seen.values()) > rounds / 4 and 200 in seen and 400 in seen, f"seed {seed}: hardly anything was answered: {seen}")
    print(seen)


OF_CLOCK = re.compile(r'.*(_seconds_(bucket|sum)|_timestamp_seconds|_up_seconds|_days_left|{code="200"})')  # and of how often it was asked whether it is ready


def look(address, everyone):
    """Prints all that the service says; of answers a digest."""
    asked = [("GET", path, None) for path in ("/health", "/ready", "/statement", "/nothing", "/metrics")]
    asked += [("POST", "/predict", body) for body in (everyone, '{"nodes":[0,5],"top":2}', '{"nodes":[99999]}',
                                                      '{"nodes":[0],"edges":[[0,1]]}')]
    for method, path, body in asked:
        status, text = ask(address, method, path, body)
        if path == "/predict" and status == 200:
            text = hashlib.sha256(text.encode()).hexdigest()
        print(f"{method} {path}: {status}")
        print("\n".join(line for line in text.splitlines() if not OF_CLOCK.match(line)))


def gone(pid):
    try:
        return open(f"/proc/{pid}/stat").read().rsplit(")", 1)[1].split()[0] == "Z"
    except OSError:
        return True


def world(address, pid, everyone, change):
    """Prints all that a service says, before and after a command that changes its data and a reload. Nothing where it ended by itself."""
    for words in ('"ready":true', '"generation":2'):
        text = ""
        for _ in range(2400):
            try:
                _, text = ask(address, "GET", "/health")
            except OSError:
                if gone(pid):
                    return
            if words in text:
                break
            time.sleep(0.02)
        need(words in text, f"/health never said {words}: {text}")
        look(address, everyone)
        if words == '"ready":true':
            need(os.system(change) == 0, f"{change} failed")
            print(*ask(address, "POST", "/reload"))


def hammer(address, command):
    """Asks all the time while the command runs; every answer is good."""
    stop, bad, count = threading.Event(), [], [0]

    def work():
        to = link(address)
        while not stop.is_set():
            to.request("POST", "/predict", body='{"nodes":[1,2,3]}',
                       headers={"Host": "localhost", "Content-Type": "application/json"})
            answer = to.getresponse()
            text = answer.read()
            count[0] += 1
            if answer.status != 200:
                bad.append(text)
        to.close()

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    status = os.system(command)
    stop.set()
    for thread in threads:
        thread.join()
    need(status == 0 and not bad and count[0] > 20, f"while reloading: {bad[:1]} of {count[0]}, command {status}")


def main():
    address, step, *rest = sys.argv[1:]
    if step == "until":
        until(address, rest[0], rest[1])
    elif step == "same":
        same(address, rest[0], rest[1])
    elif step == "exact":
        exact(address, rest[0], rest[1])
    elif step == "turns":
        turns(address, rest[0], rest[1], int(rest[2]), rest[3], rest[4] if len(rest) > 4 else None)
    elif step == "cases":
        cases(address)
    elif step == "fuzz":
        fuzz(address, int(rest[0]), rest[1])
    elif step == "look":
        turns(address, "GET", "/ready", int(rest[1]), rest[2])
        look(address, rest[0])
        print(*ask(address, "POST", "/reload"))
    elif step == "world":
        world(address, *rest)
    elif step == "hammer":
        hammer(address, rest[0])
    elif step == "ask":
        status, text = ask(address, rest[0], rest[1], rest[2] if len(rest) > 2 and rest[2] else None,
                           dict([rest[3].split(": ")]) if len(rest) > 3 else None)
        print(status)
        print(text, end="")
    else:
        sys.exit(f"serve.py: there is no step {step}")


if __name__ == "__main__":
    main()
