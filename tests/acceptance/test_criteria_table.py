"""Every numbered criterion of the seeds has a test, and the docs say which."""

from pathlib import Path

import criteria

DOCS = Path(__file__).parents[2] / "docs" / "criteria.md"
HEAD = "# Criteria of the seeds and the tests that show them\n\n| Criterion | Test in tests |\n|---|---|\n"


def rows(proven: dict[str, list[str]]) -> list[str]:
    shown = [*criteria.ALL, *(name for name in criteria.DASHBOARD if name in proven)]
    return sorted(shown, key=lambda name: (name[:3], shown.index(name)))


def table() -> str:
    proven = criteria.proven()
    told = [f"| {name} | {'<br>'.join(f'`{test}`' for test in proven.get(name, []))} |" for name in rows(proven)]
    return HEAD + "\n".join(told) + "\n"


def test_every_criterion_has_a_test_and_no_test_proves_what_is_none():
    proven = criteria.proven()
    assert [name for name in criteria.ALL if not proven.get(name)] == []
    assert set(proven) - {*criteria.ALL, *criteria.DASHBOARD} == set()


def test_a_proof_is_found_in_any_folder_of_tests_and_only_where_it_is_marked(tmp_path):
    marked = (
        '@criterion("000-7.1", "000-7.2")\n@pytest.mark.slow\ndef test_a_page(desk): ...\n\ndef test_other(): ...\n'
    )
    (tmp_path / "integration" / "web").mkdir(parents=True)
    (tmp_path / "integration" / "web" / "test_rounds.py").write_text(marked)
    place = ["integration/web/test_rounds.py::test_a_page"]
    assert criteria.proven(tmp_path) == {"000-7.1": place, "000-7.2": place}


def test_the_table_in_the_docs_is_this_table():
    assert DOCS.read_text() == table(), (
        "write docs/criteria.md anew with: python tests/acceptance/test_criteria_table.py"
    )


if __name__ == "__main__":
    DOCS.write_text(table())
