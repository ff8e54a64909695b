"""The pages of all schools: importing this registers them. Needs CasADi."""

from bellcrank.formulations.joint_coordinates import JointCoordinates
from bellcrank.model import Model
from bellcrank.worksheets.school import Page, numbered, page
from bellcrank.worksheets.sections import cartesian, points, tree_page
from bellcrank.worksheets.sections.few_speeds import FewSpeedsPage
from bellcrank.worksheets.sections.joint import JointPage

__all__ = ["cartesian", "points", "tree_page"]


@page.register
def _joint(
    formulation: JointCoordinates, model: Model, values: bool, scalars: bool | None
) -> Page:
    kind = JointPage if formulation.speeds is None else FewSpeedsPage
    found = kind(formulation, model)
    with numbered(found.blocks.lettering, values):
        return found.page(values, scalars)
