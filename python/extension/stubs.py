"""Prints sotto/estimators.pyi: the estimators with their parameters, from the library's tables."""
from sotto import _options, estimators

TYPES = {"text": "str", "word": "str", "count": "int", "real": "float", "switch": "bool"}
PATHS = ("ledger", "out", "encoder_cache")


def parameter(option: _options.Option) -> str:
    kind = TYPES[option.kind]
    if option.choices:
        kind = f"Literal[{', '.join(repr(word) for word in option.choices)}]".replace("'", '"')
    if option.name in PATHS:
        kind = "str | PathLike[str]"
    if option.name == "ledger":
        kind += " | Ledger"
    return f"{option.name}: {kind} | None"


def stubs() -> str:
    out = ["# Written by python/extension/stubs.py from the library's tables.\n",
           "from os import PathLike\nfrom typing import ClassVar, Literal\n\n",
           "from ._estimator import Estimator as Estimator\nfrom .ledger import Ledger\n\n"]
    for kind in estimators.BY_METHOD.values():
        options = list(_options.of_method(kind.method).values())
        out.append(f"class {kind.__name__}(Estimator):\n    method: ClassVar[str]\n")
        out += [f"    {parameter(option)}\n" for option in options]
        out.append("    def __init__(\n        self,\n        *,\n")
        out += [f"        {parameter(option)} = None,\n" for option in options]
        out.append("    ) -> None: ...\n\n")
    out.append("BY_METHOD: dict[str, type[Estimator]]\n")
    return "".join(out)


if __name__ == "__main__":
    print(stubs(), end="")
