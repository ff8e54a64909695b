"""A class is known by its name alone, in errors and in searches."""

import ast
from collections import defaultdict
from pathlib import Path

import bellcrank

HOME = Path(bellcrank.__file__).parent


def test_no_two_classes_have_the_same_name():
    homes = defaultdict(list)
    for path in sorted(HOME.rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.ClassDef):
                homes[node.name].append(path.relative_to(HOME).as_posix())
    assert {name: found for name, found in homes.items() if len(found) > 1} == {}
