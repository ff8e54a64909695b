"""Columns of three numbers or symbols."""

import casadi as ca
import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from tests.spatial.numbers import close

from bellcrank.spatial.arithmetic import skew
from bellcrank.spatial.vectors import axis

threes = arrays(float, 3, elements=st.floats(-1, 1))


@settings(max_examples=40, deadline=None)
@given(threes, threes)
def test_skew_is_the_cross_product(a, b):
    close(np.array(skew(a)) @ b, np.cross(a, b))


def test_axes_of_a_frame():
    close(ca.horzcat(axis(1), axis(2), axis(3)), np.eye(3))
