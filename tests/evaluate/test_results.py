"""Results print as plain aligned text."""

from medharvest.evaluate.results import Failure, Result, Table, fold_table, render_results


def test_a_result_prints_its_tables_figures_failures_and_notes() -> None:
    result = Result(
        stage="read",
        data="demo",
        digest="d",
        pages=2,
        figures=(("core4", 0.5), ("all4", 1.0)),
        tables=(Table(("field", "F1"), (("title", "1.000"), ("authors", "0.250"))),),
        failures=(Failure("x", "empty file: x"),),
        notes=("a remark",),
    )
    assert render_results([result]).splitlines() == [
        "read/demo  2 pages",
        "field       F1",
        "title    1.000",
        "authors  0.250",
        "",
        "core4 0.500  all4 1.000",
        "failed: x: empty file: x",
        "note: a remark",
    ]


def test_folds_show_the_five_worst_and_the_mean_of_all() -> None:
    table = fold_table("layout", {f"layout {number}": number / 10 for number in range(8)})
    assert [name for name, _ in table.rows] == [*(f"layout {number}" for number in range(5)), "mean of 8"]
    assert table.rows[-1] == ("mean of 8", "0.350")
