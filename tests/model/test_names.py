"""The table of names: every quantity of every element, with its unit."""

from tests.machines.everything import everything, four_bar

from bellcrank.model import Channel, Drive, channels, components
from bellcrank.model.names import RESERVED, law_names
from bellcrank.units import QUANTITIES


def test_every_channel_has_a_known_quantity_and_its_own_name():
    model = everything()
    found = channels(model)
    assert all(channel.quantity in QUANTITIES for channel in found)
    assert len({channel.name for channel in found}) == len(found)
    assert all(channel.owner in (*model.names, "") for channel in found)
    flat = [part for channel in found for part in components(channel.name, channel.size)]
    assert len(set(flat)) == len(flat)


def test_channels_of_the_four_bar_in_order():
    names = [channel.name for channel in channels(four_bar())]
    assert names[:12] == [
        *(f"{j}.angle" for j in "ABCD"),
        *(f"{j}.angle_rate" for j in "ABCD"),
        *(f"{j}.angle_acceleration" for j in "ABCD"),
    ]
    assert names[12:22] == [
        f"crank.{name}"
        for name in (
            "position", "orientation", "velocity", "angular_velocity", "acceleration",
            "angular_acceleration", "velocity_body", "angular_velocity_body",
            "acceleration_body", "angular_acceleration_body",
        )
    ]  # fmt: skip
    assert names[42:45] == ["tip.position", "tip.velocity", "tip.acceleration"]
    assert names[45:47] == ["A.reaction_force", "A.reaction_torque"]
    assert names[53:56] == ["strut.force", "strut.length", "strut.length_rate"]
    assert names[56:] == [
        "kinetic_energy", "potential_energy", "energy", "linear_momentum", "angular_momentum",
        "constraint_residual", "constraint_rate_residual",
    ]  # fmt: skip


def test_quantities_and_sizes():
    table = {channel.name: channel for channel in channels(everything())}
    assert table["U.angle2"] == Channel("U.angle2", "angle", 1, "U")
    assert table["L.x_rate"].quantity == "offset_rate"
    assert table["L.angle_acceleration"].quantity == "angle_acceleration"
    assert table["B.orientation"] == Channel("B.orientation", "orientation", 4, "B")
    assert table["F.velocity"].size == 3
    assert table["spring.effort"].quantity == "torque"
    assert table["slide.effort"].quantity == "force"
    assert table["motor.effort"].quantity == "force"
    assert table["turn.effort"].quantity == "torque"
    assert table["rubber.torque"] == Channel("rubber.torque", "torque", 3, "rubber")
    assert table["energy"] == Channel("energy", "energy", 1, "")


def test_a_drive_of_several_coordinates_has_an_effort_for_each():
    drive = Drive("reach", "tip", position_x="t", position_z="0")
    names = [c.name for c in channels(four_bar(drivers=[drive])) if c.owner == "reach"]
    assert names == ["reach.effort_position_x", "reach.effort_position_z"]


def test_what_expressions_may_use():
    model = everything()
    assert law_names(model["R"]) == ("angle", "angle_rate")
    assert law_names(model["tip"]) == (
        *components("position", 3),
        *components("velocity", 3),
    )
    assert law_names(model["strut"]) == ("force", "length", "length_rate")
    assert law_names(model["motor"]) == ("effort",)
    assert "F.position_x".partition(".")[2] in law_names(model["F"])


def test_reserved_names():
    for name in ("ground", "t", "pi", "sin", "where", "energy", "kinetic_energy"):
        assert name in RESERVED
