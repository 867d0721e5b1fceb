"""Rows of new nodes by column name, asked of a service: `serve_rows.py ADDRESS VERB ...`, for test_serve_rows.sh."""

import csv
import json
import random
import sys

from serve import ask, check_error, need


def rows_of(file):
    """The rows of a CSV table as a program would send them: numbers as numbers."""
    out = []
    for row in csv.DictReader(open(file)):
        out.append({key: int(value) if value.isdigit() else value for key, value in row.items()})
    return out


def same(address, table, answers):
    """Rows are answered as `sotto predict` answers about the table, and each as if it came alone, in any order of keys."""
    rows = rows_of(table)
    wanted = list(csv.reader(open(answers)))
    classes = [name[2:] for name in wanted[0][4:]]
    status, text = ask(address, "POST", "/predict", json.dumps({"rows": rows}))
    need(status == 200, f"{status} {text}")
    body = json.loads(text)
    need(body["from"] == "columns alone" and len(body["answers"]) == len(rows), text[:300])
    for number, (row, line, answer) in enumerate(zip(rows, wanted[1:], body["answers"])):
        by_name = dict(zip(answer["names"], answer["probabilities"]))
        need(answer["row"] == number and answer["id"] == row["id"], f"{answer} is not of {row}")
        need(all(abs(by_name[c] - float(p)) < 1e-5 for c, p in zip(classes, line[4:])), f"{answer} is not {line}")
        if number < 5:
            turned = dict(reversed(list(row.items())))
            _, one = ask(address, "POST", "/predict", json.dumps({"rows": [turned], "top": 1}))
            alone = json.loads(one)["answers"][0]
            need(abs(alone["probabilities"][0] - answer["probabilities"][0]) < 1e-5, f"{alone} alone, {answer} among others")
    need(len({answer["classes"][0] for answer in body["answers"]}) == 3, "all rows have one class: the test is blind")


GOOD = {"age": 40, "income": 900.5, "town": "york", "since": "2012-01-05", "vip": True}


def case(**changed):
    return json.dumps({"rows": [{**GOOD, **changed}]})


def without(key):
    return json.dumps({"rows": [{k: v for k, v in GOOD.items() if k != key}]})


# A request, its status, words of the answer.
CASES = [
    (case(), 200, '"answers":[{"row":0,"classes":'),
    (case(id="C-7"), 200, '"id":"C-7"'), (case(id=7), 200, '"id":"7"'), (case(id=1.5), 400, "rows[0].id"), (case(id=[]), 400, "rows[0].id"),
    (case(id="c5"), 200, '"known_ids":["c5"]'), (case(id='x","class":"low'), 200, '"id":"x\\",\\"class\\":\\"low"'),
    (case(shoe=3, hat="a"), 200, '"unknown_columns":["shoe","hat"]'), (case(label="low"), 200, '"unused_columns":["label"]'),
    (case(town="hull"), 200, '"unknown_words":"town=hull"'), (case(town='yo"rk,\n1'), 200, "unknown_words"), (case(town=""), 400, "rows[0].town"),
    (case(town=None), 400, "rows[0].town"), (case(town=["york"]), 400, "rows[0].town"), (case(town={"a": 1}), 400, "rows[0].town"),
    (case(age="40"), 200, "answers"), (case(age="old"), 400, "rows[0].age"), (case(age="4,5"), 400, "rows[0].age"), (case(age=True), 400, "rows[0].age"),
    (case(age="NA"), 400, "rows[0].age"), (case(age="=1+1"), 400, "rows[0].age"), (case(age="1e39"), 400, "rows[0].age"), (case(age=1e39), 400, "rows[0].age"),
    (case(since="05.01.2012"), 400, "rows[0].since"), (case(since=20120105), 400, "rows[0].since"), (case(vip="perhaps"), 400, "rows[0].vip"),
    (case(vip=False), 200, "answers"), (case(vip="no"), 200, "answers"), (case(vip=1), 200, "answers"),
    (without("income"), 200, "answers"), (case(income=None), 200, "answers"), (without("age"), 400, "no rule that fills"),
    (json.dumps({"rows": [GOOD, {**GOOD, "age": "old"}]}), 400, "rows[1].age"), (json.dumps({"rows": [GOOD, 5]}), 400, "rows[1]"),
    (json.dumps({"rows": [{**GOOD, "town": "a\nb"}, {**GOOD, "age": "old"}]}), 400, "rows[1].age"),
    ('{"rows":[]}', 400, "rows"), ('{"rows":{}}', 400, "rows"), ('{"rows":"x"}', 400, "rows"), ('{"rows":[{}]}', 400, "rows[0]"), ('{"rows":[[]]}', 400, "rows[0]"),
    ('{"rows":null}', 400, "rows"), ('{"rows":[{"age":1,"age":2}]}', 400, "body"), ('{"rows":[{"age":NaN}]}', 400, "body"), ('{"rows":[{"age":1e999}]}', 400, "body"),
    ('{"rows":[{"a\\u0000b":1}]}', 400, "body"), ('{"rows":[{"town":"\\ud800"}]}', 400, "body"), (case(town="\u202eevil"), 400, "control character"),
    (case(town="\x07"), 400, "control character"), (json.dumps({"rows": [GOOD], "nodes": [0]}), 400, "neither"), (json.dumps({"rows": [GOOD], "ids": ["c1"]}), 400, "neither"),
    (json.dumps({"rows": [GOOD], "edges": [[0, 1]]}), 403, "edges"), (json.dumps({"rows": [GOOD], "top": 0}), 400, "top"),
    (json.dumps({"rows": [GOOD], "top": 1}), 200, "answers"), (json.dumps({"rows": [{}] * 1001}), 413, "rows"),
    ('{"rows":[' + "[" * 100000, 400, "body"), (json.dumps({"rows": [{f"k{i}": 1 for i in range(9000)} | GOOD]}), 200, '"k99"]'),
    (json.dumps({"rows": [{**GOOD, "town": "y" * 100000}]}), 400, "more than 65536 bytes"), (case(town="y" * 60000), 200, "unknown_words")]


def cases(address):
    for body, wanted, words in CASES:
        status, text = ask(address, "POST", "/predict", body)
        need(status == wanted and words in text, f"{body[:120]}: {status}, not {wanted} with {words}: {text[:400]}")
        if status >= 400:
            check_error(status, text, body[:120])
        else:
            json.loads(text)


def fuzz(address, rounds):
    """Rows of any values: an answer of JSON each time, and the service lives."""
    rng = random.Random(5)
    values = [0, -1, 1e300, -1e-300, 2**62, "", " ", "NA", "york", '"', '""', ",", ";", "\t", "a,b", "é", "\u0301", "\ufeff", "😀", "=1", "#N/A", "1e5", "0x1F", "2012-02-30",
              "9999-12-31", None, True, False, [], {}, "x" * 5000, "\r\n", "\n\n", "r0", "Total", "1_000", "٣"]
    seen = {}
    for i in range(rounds):
        rows = []
        for _ in range(rng.choice([1, 1, 2, 7])):
            row = {key: value for key, value in GOOD.items() if rng.random() < 0.95}
            for _ in range(rng.choice([0, 1, 1, 2])):
                row[rng.choice(list(GOOD) + ["id", "label", "zz", "", '"', "age "])] = rng.choice(values)
            rows.append(row)
        status, text = ask(address, "POST", "/predict", json.dumps({"rows": rows, "top": rng.choice([1, 2, 3])}))
        need(status in (200, 400), f"round {i}: {status} {text[:300]} to {rows}")
        if status == 400:
            check_error(status, text, str(rows))
        else:
            need(len(json.loads(text)["answers"]) == len(rows), f"round {i}: {text[:300]}")
        seen[status] = seen.get(status, 0) + 1
    need(len(seen) == 2, f"hardly anything was answered: {seen}")
    print(seen)


if __name__ == "__main__":
    verbs = {"same": same, "cases": cases, "fuzz": lambda address, rounds: fuzz(address, int(rounds))}
    verbs[sys.argv[2]](sys.argv[1], *sys.argv[3:])
