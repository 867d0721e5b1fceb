#!/usr/bin/env python3
"""Numbers and verdicts of docs/reproduction.md: the published ones from bench/reproduction.yaml, ours from the tables of docs/results.

usage: bench/verdicts.py [--check] [--results docs/results] [--page docs/reproduction.md]
       bench/verdicts.py --same OTHER [--results docs/results]
       bench/verdicts.py --draw 40 --seed 1

Writes RESULTS/verdicts.md and PAGE: the text of bench/reproduction.page, in which `<!-- rows: PAPER -->` stands for the rows of a paper,
and `<!-- rows: as-published -->` for the rows of RESULTS/as-published.csv.
--check writes nothing, and fails, with the line, where they are not what the results give. --same fails where a verdict or a finding
differs from that of another folder of results. --draw prints published numbers, drawn by chance, to compare with the papers by hand.

The rule. A published number is *within* if it is at most two deviations from ours: the published deviation, or ours where the paper
has none; a count has to be the same, as it is rounded there. A number that was not run is not within. The *finding* is what the paper says of the table or
figure, as an inequality between our figures, which has to hold.
  reproduced      the finding holds, and at least half of the numbers are within (a figure without numbers: the finding holds)
  finding alone   the finding holds, and fewer numbers are within
  not reproduced  the finding does not hold
  not judged      (judged: not) nothing of it was run, not on the paper's data, or no inequality tests what it shows

In a row, `{FILE WORDS}` is a number of ours (bench/figures_of.py), `{71.3 = FILE WORDS}` one that is judged against a published number,
`{71.3 =}` a published one that was not run, `{= EXPRESSION}` the value of an expression. Rows of one `group` have one verdict; the first
has its `finding`, and `holds`, the inequality.
"""
import argparse
import pathlib
import random
import re
import sys

import figures_of
import rows_of

PAPERS = {"vesper": "Wu et al. 2023", "vfgnn": "Zhou et al. 2021", "caribou": "Zheng et al. 2026", "feddep": "Zhang et al. 2024", "gwldp": "Jin and Chen 2022"}
ROOT = pathlib.Path(__file__).resolve().parent.parent
WORDS = ("reproduced", "finding alone", "not reproduced", "not judged")
PLACE = re.compile(r"\{([^{}]*)\}")
EXPRESSION = re.compile(r"\{= ((?:[^{}]|\{[^{}]*\})*)\}")
COMPARED = re.compile(r"([\d.]+)(?: ± ([\d.]+))? =(.*)")
NUMBER = re.compile(r"(?<![\w.])\d+(?:,\d{3})*(?:\.\d+)?(?: ± \d+(?:\.\d+)?)?(?![\w])")


def is_within(published, deviation, ours):
    """deviation: the published one, or None. ours: mean and deviation, or None where it was not run."""
    return ours is not None and abs(published - ours[0]) <= 2 * (ours[1] if deviation is None else deviation) + 1e-9


def falls(values):
    return all(later < earlier for earlier, later in zip(values, values[1:]))


class Share:
    """So many of so many cases."""

    def __init__(self, count, cases):
        self.count, self.cases = count, cases

    def __str__(self):
        return f"{self.count} of {self.cases}"


def most(share):
    return 2 * share.count > share.cases


class Group:
    """The rows of one verdict."""

    def __init__(self, paper, name):
        self.paper, self.name, self.numbers, self.finding, self.holds, self.not_judged = paper, name, [], "", None, False

    def word(self):
        if self.not_judged:
            return "not judged"
        if not self.holds:
            return "not reproduced"
        return "reproduced" if 2 * self.within() >= len(self.numbers) else "finding alone"

    def within(self):
        return sum(is_within(*number[1:]) for number in self.numbers)

    def line(self):
        share = f"{self.within()} of {len(self.numbers)}" if self.numbers else "none"
        holds = "-" if self.holds is None else "yes" if self.holds else "no"
        return f"| {PAPERS[self.paper]} | {self.name} | {share} | {self.finding or '-'} | {holds} | {self.word()} |"


class Page:
    def __init__(self, rows, results):
        self.rows, self.results, self.groups, self.numbers = rows, figures_of.Results(results), {}, []
        for row in rows:
            group = self.group(row)
            row["own"] = [self.compared(row, text) for text in self.places(row) if COMPARED.match(text)]
            group.numbers += row["own"]
            group.not_judged = group.not_judged or row.get("judged") == "not"
            if "holds" in row:
                group.finding, group.holds = self.filled(row["finding"]), bool(self.value(row["holds"]))
        for group in self.groups.values():
            if group.holds is None and not group.not_judged:
                sys.exit(f"bench/reproduction.yaml: {group.paper}, {group.name} has no finding: give one that holds or does not, or judged: not")

    def group(self, row):
        key = (row["paper"], row.get("group", row["table"]))
        return self.groups.setdefault(key, Group(*key))

    @staticmethod
    def places(row):
        return [text for key in ("ours", "sound") for text in PLACE.findall(row.get(key, ""))]

    def compared(self, row, text):
        """(row, published, deviation, ours) of a place."""
        number, deviation, words = COMPARED.match(text).groups()
        published = number + (f" ± {deviation}" if deviation else "")
        if published not in [found.replace(",", "") for found in NUMBER.findall(row["published"])]:
            sys.exit(f"bench/reproduction.yaml: {row['paper']}, {row['table']}: {published} is compared, and is no number of the column published")
        ours = self.results.number(words) if words.strip() else None
        if ours is not None and not ours[1]:
            ours = round(ours[0], len(number.partition(".")[2])), 0.0
        return row, float(number), float(deviation) if deviation else None, ours

    def shown(self, text):
        """What a place stands for."""
        compared = COMPARED.match(text)
        words = compared[3] if compared else text
        return self.results.shown(words) if words.strip() else ""

    def expressed(self, expression):
        value = self.value(expression)
        return f"{value:.2f}" if isinstance(value, float) else str(value)

    def filled(self, text):
        text = EXPRESSION.sub(lambda found: self.expressed(found[1]), text)
        return PLACE.sub(lambda found: self.shown(found[1]), text)

    def value(self, expression):
        """Of an inequality: a place is a number, with alternatives (a|b) a list of them."""
        plain = PLACE.sub(lambda found: repr(self.results.means(found[1])), expression)
        known = {"inf": float("inf"), "falls": falls, "rises": lambda values: falls(values[::-1]), "most": most, "min": min, "max": max, "all": all, "any": any, "zip": zip, "abs": abs,
                 "ranked": lambda *words: Share(*self.results.ranked(*words)), "every": lambda share: share.count == share.cases}
        return eval(plain, {"__builtins__": {}, **known})

    def verdict(self, row):
        group = self.group(row)
        known = {"verdict": group.word(), "within": f"{group.within()} of {len(group.numbers)}", "here": f"{sum(is_within(*n[1:]) for n in row['own'])} of {len(row['own'])}"}
        return self.filled(re.sub(r"\{(verdict|within|here)\}", lambda found: known[found[1]], row["verdict"]))

    def row(self, row):
        cells = [row["table"], row["published"], self.filled(row.get("ours", "")), self.filled(row.get("sound", "")), self.verdict(row)]
        return "| " + " | ".join(cells).replace("|  |", "| |") + " |\n"

    def summary(self, paper):
        words = [group.word() for group in self.groups.values() if group.paper == paper]
        return " | ".join([str(len(words)), *[str(words.count(word)) for word in WORDS]])

    def text(self, template):
        template = template.replace("<!-- rows: as-published -->\n", "".join(map(run_as_published, self.results.rows("as-published"))))
        template = re.sub(r"<!-- rows: (\w+) -->\n", lambda found: "".join(self.row(row) for row in self.rows if row["paper"] == found[1]), template)
        return re.sub(r"<!-- count: (\w+) -->", lambda found: self.summary(found[1]), template)

    def verdicts(self):
        numbers = "".join(self.beside(*number) for group in self.groups.values() for number in group.numbers)
        return HEAD + "".join(group.line() + "\n" for group in self.groups.values()) + BESIDE + numbers

    def beside(self, row, published, deviation, ours):
        paper = f"{published:g}" + (f" ± {deviation:g}" if deviation is not None else "")
        own = "not run" if ours is None else f"{ours[0]:.2f}" + (f" ± {ours[1]:.2f}" if ours[1] else "")
        return f"| {PAPERS[row['paper']]} | {row['table']} | {paper} | {own} | {'yes' if is_within(published, deviation, ours) else 'no'} |\n"


def run_as_published(run):
    """A row of the table of runs as published."""
    name = {"gain": "gain over no edges", "accuracy": "accuracy", "svm": "accuracy of the SVM"}[run["figure"]]
    paper = f"{float(run['published']):.2f} ({run['where']})" if run["published"] else run["where"]
    around = f" ± {run['deviation']}" if int(run["seeds"]) > 1 else ""
    more = "" if run["figure"] == "accuracy" else f"; accuracy {run['accuracy']}" + (f", without edges {run['without_edges']}" if run["without_edges"] else "")
    audit = run["audit"] + ("" if run["audit_holds"] == "yes" else ": FAILED")
    cells = [f"`{run['run']}`", run["parties"], f"{run['claimed']} / {run['charged']}", paper, f"{name} {run['mean']}{around}{more}", audit, run["difference"]]
    return "| " + " | ".join(cells) + " |\n"


HEAD = """# Verdicts
From the papers' numbers in `bench/reproduction.yaml` and the tables of this folder, by `bench/verdicts.py`.
[reproduction.md](../reproduction.md#verdicts) has the rule. Numbers within two deviations, of all that are compared; then the finding as it
is tested, and whether it holds here. A row is one verdict, of one or several tables and figures.

| paper | table, figure | numbers within | finding, as tested | holds | verdict |
|---|---|---|---|---|---|
"""
BESIDE = """
## Number by number
Published deviations and ours are those of the tables. A count has to be the same.

| paper | table, figure | published | ours | within |
|---|---|---|---|---|
"""


def draw(rows, count, seed):
    """Cells of the column published, each with the words around it."""
    cells = [(row, found) for row in rows for found in NUMBER.finditer(row["published"])]
    print(f"seed {seed}: {count} of {len(cells)} published numbers")
    for row, found in sorted(random.Random(seed).sample(cells, count), key=cells.index):
        begin, end = max(0, found.start() - 60), found.end() + 30
        print(f"{PAPERS[row['paper']]}, {row['table']}: {row['published'][begin:found.start()]}[{found[0]}]{row['published'][found.end():end]}")


def difference(path, text):
    stated = path.read_text().splitlines() if path.exists() else []
    made = text.splitlines()
    wrong = [line for line in made if line not in stated] + [line for line in stated if line not in made]
    for line in wrong:
        print(f"{path}: the results give another line: {line}", file=sys.stderr)
    return bool(wrong) or stated != made


def same(page, other):
    wrong = [f"{PAPERS[group.paper]}, {group.name}: {said(group)}, and {said(other.groups[key])}"
             for key, group in page.groups.items() if said(group) != said(other.groups[key])]
    print("\n".join(wrong) if wrong else f"the same {len(page.groups)} verdicts and findings")
    return bool(wrong)


def said(group):
    """The verdict, and whether the finding holds: of other data it is tested, too."""
    return group.word() + ("" if group.holds is None else ", the finding holds" if group.holds else ", the finding does not hold")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--check", action="store_true")
    parser.add_argument("--results", type=pathlib.Path, default=ROOT / "docs/results")
    parser.add_argument("--page", type=pathlib.Path, default=ROOT / "docs/reproduction.md")
    parser.add_argument("--same", type=pathlib.Path)
    parser.add_argument("--draw", type=int)
    parser.add_argument("--seed", type=int, default=1)
    args = parser.parse_args()
    rows = rows_of.read(ROOT / "bench/reproduction.yaml")["rows"]
    if args.draw:
        return draw(rows, args.draw, args.seed)
    page = Page(rows, args.results)
    if args.same:
        sys.exit(same(page, Page(rows_of.read(ROOT / "bench/reproduction.yaml")["rows"], args.same)))
    texts = {args.results / "verdicts.md": page.verdicts(), args.page: page.text((ROOT / "bench/reproduction.page").read_text())}
    if args.check:
        sys.exit(any([difference(path, text) for path, text in texts.items()]))
    for path, text in texts.items():
        path.write_text(text)


if __name__ == "__main__":
    main()
