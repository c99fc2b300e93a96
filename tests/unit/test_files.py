"""Tables that are committed: CSV with six significant digits."""

import numpy as np
import pandas as pd

from optimist.files import write_frame


def test_floating_point_numbers_have_six_digits_and_whole_ones_all_of_theirs(tmp_path):
    frame = pd.DataFrame(
        {"a": [np.pi * 1e-7, 1234567.8, np.nan], "b": [12345678, 1, 2], "c": ["x,y", "ü", None]}
    )
    write_frame(frame, tmp_path / "table.csv")
    lines = (tmp_path / "table.csv").read_bytes().decode("utf-8").split("\n")
    assert lines == ["a,b,c", '3.14159e-07,12345678,"x,y"', "1.23457e+06,1,ü", ",2,", ""]
    back = pd.read_csv(tmp_path / "table.csv")
    write_frame(back, tmp_path / "again.csv")
    assert (tmp_path / "again.csv").read_bytes() == (tmp_path / "table.csv").read_bytes()
