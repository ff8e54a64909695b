"""Results in files: what is loaded equals what was saved, and nothing else is believed."""

import h5py
import numpy as np
import pytest
import xarray
from hypothesis import given, settings
from hypothesis import strategies as st

from bellcrank.errors import FileError
from bellcrank.results import Label, Result, storage


@pytest.fixture
def saved(run, tmp_path):
    path = tmp_path / "run.nc"
    run.save(path)
    return path


def refused(path):
    with pytest.raises(FileError) as caught:
        Result.load(path)
    return str(caught.value)


def test_loaded_equals_saved(run, saved):
    loaded = Result.load(saved)
    assert loaded == run
    assert loaded.names == run.names
    assert loaded.states == run.states
    assert loaded.statistics == {"steps": 31, "rejected": 2, "smallest_step": 1e-3}
    assert loaded.provenance == {"model": "arm", "rtol": 1e-9, "integrator": "DOP853()"}
    assert loaded.events == run.events
    assert repr(loaded) == repr(run)
    assert loaded.dataset.identical(run.dataset)
    assert list(saved.parent.iterdir()) == [saved]


def opened_up(path):
    """Take the last line off a result, so that HDF5 writes into it."""
    whole = path.read_bytes()
    path.write_bytes(whole[: whole.rindex(b"\nbellcrank result")])


def test_a_file_with_too_many_variables_is_refused(saved):
    opened_up(saved)
    with h5py.File(saved, "r+") as file:
        for i in range(storage.MOST_VARIABLES):
            file.id.links.create_soft(str(i).encode(), b"/time")
        count = len(file)
    assert refused(saved) == (
        f"{str(saved)!r} holds {count} variables; a result has at most 100000."
    )


def test_saving_again_replaces_the_file(run, saved):
    Result.load(saved).save(saved)
    assert Result.load(saved) == run


def test_any_netcdf_reader_finds_names_units_and_events(run, saved):
    with xarray.open_dataset(saved, engine="h5netcdf") as data:
        np.testing.assert_array_equal(data["tip.position"].values, run.values("tip.position"))
        assert data["body 3.orientation"].dims == ("time", "euler_parameter")
        assert data["A.angle"].attrs["units"] == "rad"
        assert data["A.angle"].attrs["long_name"] == "angle of A"
        assert list(data["event"].values) == ["apex", "touch", "apex"]
        assert data.attrs["provenance_rtol"] == 1e-9


texts = st.text(st.characters(exclude_characters="/", exclude_categories=["Cs"]), min_size=1)
values = st.lists(st.floats(allow_subnormal=False, width=64), min_size=2, max_size=2)


@settings(max_examples=30, deadline=None)
@given(st.dictionaries(texts.filter(lambda s: "\0" not in s), values, max_size=4), texts)
def test_names_of_any_kind_and_all_numbers_come_back(tmp_path_factory, arrays, word):
    path = tmp_path_factory.mktemp("names") / "run.nc"
    word = word.replace("\0", " ")
    run = Result.from_arrays(
        [0.0, 1.0],
        {f"{name}.angle": array for name, array in arrays.items()},
        [Label(f"{name}.angle", "angle", 1, name) for name in arrays],
        inputs={"time": [1, 2], "event": [3, 4]},
        events=[(word, 0.5)],
        provenance={word: word, "none": None, "yes": True},
        status=word,
    )
    run.save(path)
    loaded = Result.load(path)
    assert loaded == run
    assert loaded.names == run.names


def test_short_and_long_results_come_back(tmp_path):
    label = Label("A.position", "position", 3, "A")
    for n in (0, 1, 20_000):
        array = np.arange(3.0 * n).reshape(n, 3)
        facts = {"text": "x" * 200_000}
        run = Result.from_arrays(np.arange(n), {"A.position": array}, [label], provenance=facts)
        run.save(tmp_path / "run.nc")
        assert Result.load(tmp_path / "run.nc") == run


def test_a_result_is_saved_by_its_suffix(run, tmp_path):
    with pytest.raises(FileError) as caught:
        run.save("run.xlsx")
    assert str(caught.value) == (
        "cannot save a result as 'run.xlsx'; results are netCDF files, named like 'run.nc', "
        "or tables, named like 'run.csv'. Other formats go through run.frame(), a pandas "
        "table, or run.dataset, an xarray Dataset."
    )


def test_a_folder_must_exist(run, tmp_path):
    with pytest.raises(FileError) as caught:
        run.save(tmp_path / "no" / "run.nc")
    assert str(caught.value) == (
        f"cannot write '{tmp_path}/no/run.nc': there is no folder '{tmp_path}/no'."
    )


def test_a_folder_is_not_overwritten(run, tmp_path):
    (tmp_path / "run.nc").mkdir()
    with pytest.raises(FileError) as caught:
        run.save(tmp_path / "run.nc")
    assert str(caught.value) == f"cannot write '{tmp_path}/run.nc': it is a folder."
    assert refused(tmp_path / "run.nc") == (
        f"'{tmp_path}/run.nc' is a folder; a result is one netCDF file."
    )
    assert [p.name for p in tmp_path.iterdir()] == ["run.nc"]


def test_a_missing_file(tmp_path):
    assert refused(tmp_path / "x.nc") == f"there is no file '{tmp_path}/x.nc'."


@pytest.mark.parametrize("content", [b"", b"CDF\x01 classic netCDF", b"name: pendulum\n"])
def test_files_of_another_kind(tmp_path, content):
    path = tmp_path / "x.nc"
    path.write_bytes(content)
    assert refused(path) == (
        f"'{path}' is no netCDF-4 file; results are written by run.save('x.nc')."
    )


def test_foreign_hdf5(tmp_path):
    path = tmp_path / "x.nc"
    xarray.Dataset({"a": ("t", [1.0])}).to_netcdf(path, engine="h5netcdf")
    assert refused(path) == (
        f"'{path}' is an HDF5 file, but no result: attribute 'bellcrank_result' is missing."
    )


def test_a_newer_format(saved):
    with h5py.File(saved, "a") as file:
        file.attrs["bellcrank_result"] = 2
    assert refused(saved) == (
        f"'{saved}' has format 2; this version of bellcrank reads format 1. "
        "A newer bellcrank may read it."
    )


def nest(file):
    for k in range(100):
        file = file.create_group(f"g{k}")


def virtual(file):
    layout = h5py.VirtualLayout((3,), "f8")
    layout[:] = h5py.VirtualSource("other.nc", "time", (3,))
    file.create_virtual_dataset("g0", layout)


def external(file):
    file.create_dataset("g0", (3,), "f8", external=[("/etc/hostname", 0, 24)])


def link(file):
    file["g0"] = h5py.ExternalLink("/etc/passwd", "time")


def soft(file):
    file["g0"] = h5py.SoftLink("/g0")


@pytest.mark.parametrize("add", [nest, virtual, external, link, soft])
def test_anything_but_plain_variables_is_refused(saved, add):
    with h5py.File(saved, "a") as file:
        add(file)
    assert refused(saved) == (
        f"'{saved}' holds 'g0', which is not a plain variable; a result has nothing else."
    )


def test_a_small_file_that_claims_to_be_huge_is_refused(saved):
    with h5py.File(saved, "a") as file:
        file.create_dataset("huge", (2**40,), "f8", chunks=(1024,))
    message = refused(saved)
    assert message.startswith(f"'{saved}' claims to hold 8.19e+03 GiB in a file of 0.")
    assert message.endswith(" MiB; that is no result.")


def change(name, value):
    def change(file):
        attrs = {k: v for k, v in file[name].attrs.items() if k in ("name", "order", "role",
                 "quantity", "owner")}  # fmt: skip
        del file[name]
        file[name] = value
        file[name].attrs.update(attrs)

    return change


def deep(file):
    file.attrs["provenance"] = "[" * 100_000 + "]" * 100_000


@pytest.mark.parametrize(
    ("damage", "reason"),
    [
        (change("A.angle", np.zeros(3)),
         "result 'A.angle' needs shape (201,) at 201 times, got (3,)."),
        (change("A.angle", np.zeros(201, "i4")),
         "'A.angle' holds int32, not double precision numbers"),
        (change("tip.position", np.zeros((201, 2))),
         "'tip.position' has 2 numbers at each time; 1, 3 or 4 would do"),
        (lambda file: file.attrs.pop("status"), "attribute 'status' is missing"),
        (lambda file: file["A.angle"].attrs.pop("name"), "attribute 'name' is missing"),
        (lambda file: file.attrs.update(statistics="{"), None),
        (lambda file: file.attrs.update(statistics="[1]"), None),
        (deep, None),
        (lambda file: file.pop("time"), "variable 'time' is missing"),
        (lambda file: file.pop("event_time"), "variable 'event_time' is missing"),
    ],
)  # fmt: skip
def test_damaged_files_are_refused(saved, damage, reason):
    with h5py.File(saved, "a") as file:
        damage(file)
    message = refused(saved)
    assert message.startswith(f"'{saved}' is damaged, or not a result: ")
    assert reason is None or message.endswith(reason)


def test_a_damaged_file_is_named_as_such(saved):
    content = bytearray(saved.read_bytes())
    content[5000] ^= 1
    saved.write_bytes(content)
    assert refused(saved) == (f"'{saved}' is damaged: its checksum is not that of its content.")


def test_a_file_rewritten_by_another_program_is_read(run, saved):
    with h5py.File(saved, "a") as file:
        file.attrs["comment"] = "seen"
    assert Result.load(saved) == run


@settings(max_examples=40, deadline=None)
@given(st.data())
def test_flipped_and_missing_bytes_never_pass_for_another_result(tmp_path_factory, data):
    t = np.linspace(0, 1, 50)
    run = Result.from_arrays(t, {"A.angle": t**2}, [Label("A.angle", "angle", 1, "A")])
    path = tmp_path_factory.mktemp("flip") / "run.nc"
    run.save(path)
    content = bytearray(path.read_bytes())
    if data.draw(st.booleans()):
        content[data.draw(st.integers(0, len(content) - 1))] ^= 1 << data.draw(
            st.integers(0, 7)
        )
    else:
        del content[data.draw(st.integers(1, len(content) - 1)) :]
    path.write_bytes(content)
    try:
        loaded = Result.load(path)
    except FileError:
        return
    assert loaded == run


def named_at_length(path, count):
    """Give a result so many events that share one long name."""
    opened_up(path)
    with h5py.File(path, "r+") as file:
        for key in ("event", "event_time", "event_value", "event_number"):
            if key in file:
                del file[key]
        text = {"dtype": h5py.string_dtype(), "fillvalue": "x" * 100_000}
        file.create_dataset("event", shape=(count,), **text)
        file.create_dataset("event_time", data=np.zeros(count))


def test_a_small_file_of_many_references_to_one_text_is_refused(run, tmp_path):
    """What is read is counted, not what a file claims: texts may be one text many times."""
    few, many = tmp_path / "few.nc", tmp_path / "many.nc"
    for path, count in ((few, 20), (many, storage.MOST_LETTERS // 100_000 + 1)):
        run.save(path)
        named_at_length(path, count)
    assert len(Result.load(few).events) == 20
    assert many.stat().st_size < 1_000_000
    with pytest.raises(FileError, match="its texts have more than 67108864 letters"):
        Result.load(many)
