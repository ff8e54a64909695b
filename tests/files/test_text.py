"""YAML text as plain data: nothing but data, and never more of it than the file is worth."""

import math

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bellcrank.errors import FileError
from bellcrank.files import text as yaml_text
from bellcrank.files.text import parse_yaml, read_yaml, write_yaml

# Names and paths: a model refuses control characters and line separators.
letters = st.characters(exclude_categories=["Cc", "Cs", "Zl", "Zp"])
scalars = (
    st.none()
    | st.booleans()
    | st.integers(-(10**6), 10**6)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(letters, max_size=12)
    | st.sampled_from([
        "on",
        "y",
        "1e5",
        "12:30",
        "0x1f",
        "null",
        "~",
        "- a",
        "a: b",
        "#",
        "2*m1",
        "08",
    ])
)
keys = st.text(letters, max_size=8)
trees = st.recursive(
    scalars,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(keys, inner, max_size=4),
    max_leaves=20,
)


@settings(max_examples=100, deadline=None)
@given(st.dictionaries(keys, trees, min_size=1, max_size=4))
def test_what_is_written_reads_back(data):
    assert parse_yaml(write_yaml(data)).data == data


def test_plain_scalars_follow_the_core_schema_of_yaml_1_2():
    data = parse_yaml(
        "[on, yes, 12:30, 1e-3, 0o17, 2020-01-01, 1_000, ~, true, 7, -.5, 1.]"
    ).data
    assert data == [
        "on",
        "yes",
        "12:30",
        1e-3,
        "0o17",
        "2020-01-01",
        "1_000",
        None,
        True,
        7,
        -0.5,
        1.0,
    ]
    infinite = parse_yaml("[.inf, -.inf, .nan]").data
    assert infinite[:2] == [math.inf, -math.inf]
    assert math.isnan(infinite[2])


def test_a_quoted_scalar_is_text_and_a_key_is_always_text():
    assert parse_yaml("{1: '1', on: \"2\"}").data == {"1": "1", "on": "2"}


def test_every_value_knows_its_line():
    document = parse_yaml("a: 1\nb:\n  - x\n  - {c: 2,\n     d: 3}\n")
    assert [
        document.line(place) for place in [("a",), ("b", 0), ("b", 1, "c"), ("b", 1, "d")]
    ] == [1, 3, 4, 5]
    assert document.line(("b", 1, "nothing", "here")) == 4


def test_an_alias_stands_for_what_was_anchored():
    assert parse_yaml("a: &p [1, 2]\nb: *p").data == {"a": [1, 2], "b": [1, 2]}


def test_an_alias_bomb_is_refused_at_once():
    lines = ["a0: &a0 [1, 1, 1, 1, 1, 1, 1, 1, 1, 1]"]
    lines += [f"a{i + 1}: &a{i + 1} [{', '.join([f'*a{i}'] * 10)}]" for i in range(9)]
    with pytest.raises(FileError, match=r"^text, line 6: more than 400000 values"):
        parse_yaml("\n".join(lines))


def test_aliases_cannot_make_a_shallow_file_deep():
    lines = ["a0: &a0 [1]"] + [f"a{i + 1}: &a{i + 1} [*a{i}]" for i in range(40)]
    with pytest.raises(FileError, match=r"nested deeper than 32 levels"):
        parse_yaml("\n".join(lines))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("[" * 100, "text, line 1: nested deeper than 32 levels."),
        ("a: 1\nb: 2\na: 3", "text, line 3: key 'a' is given twice, first on line 1."),
        ("a: &x [*x]", "text, line 1: alias *x stands for nothing before it."),
        (
            "a: !!python/object/apply:os.system [ls]",
            "text, line 1: the tag 'tag:yaml.org,2002:python/object/apply:os.system' "
            "is not read; only plain data is.",
        ),
        ("--- 1\n--- 2", "text, line 2: a second document begins; one file holds one machine."),
        ("? [1, 2]\n: 3", "text, line 1: a key must be plain text."),
    ],
)
def test_what_cannot_be_plain_data_is_refused(text, message):
    with pytest.raises(FileError) as caught:
        parse_yaml(text)
    assert str(caught.value) == message


def test_text_that_is_not_yaml_names_its_line():
    with pytest.raises(FileError, match=r"^text, line 3: not YAML: "):
        parse_yaml("a: [1,\n2\nb: 3")


def test_a_huge_file_is_not_opened(tmp_path):
    file = tmp_path / "huge.yaml"
    with file.open("wb") as stream:
        stream.truncate(yaml_text.LARGEST_FILE + 1)
    with pytest.raises(FileError) as caught:
        read_yaml(file)
    assert str(caught.value) == f"{file}: 8388609 bytes; at most 8388608 are read."


def test_files_that_are_not_there_or_not_text(tmp_path):
    (tmp_path / "machine.yaml").write_bytes(b"name: \xff")
    messages = {
        "machine.yaml": "machine.yaml: not UTF-8 text (byte 6).",
        "machin.yaml": "machin.yaml'. Did you mean 'machine.yaml'?",
        "": " is a folder; a file is needed.",
        "no/x.yaml": f"There is no folder {str(tmp_path / 'no')!r} either.",
    }
    for name, end in messages.items():
        with pytest.raises(FileError) as caught:
            read_yaml(tmp_path / name)
        assert str(caught.value).endswith(end)
