"""Where a project begins, and where the person's state lives."""

from pathlib import Path

import pytest

from shiage.config import find_project, user_state_dir
from shiage.domain.errors import UserError


@pytest.fixture
def home(tmp_path):
    folder = tmp_path / "home"
    folder.mkdir()
    return folder


def missing(start, home):
    with pytest.raises(UserError) as caught:
        find_project(start, home=home)
    assert caught.value.code == "no-project"
    return caught.value


@pytest.mark.parametrize("mark", ["shiage.toml", ".kiro", ".shiage", ".git"])
def test_each_mark_makes_a_project_of_the_folder_and_of_all_below(home, mark):
    (home / "p" / mark).mkdir(parents=True)
    below = home / "p" / "a" / "b"
    below.mkdir(parents=True)
    assert find_project(below, home=home) == home / "p"
    assert find_project(home / "p", home=home) == home / "p"


def test_our_table_in_pyproject_is_a_mark_too(home):
    (home / "p").mkdir()
    (home / "p" / "pyproject.toml").write_text("[tool.shiage]\n")
    assert find_project(home / "p", home=home) == home / "p"


def test_the_nearest_project_wins(home):
    (home / "p" / ".git").mkdir(parents=True)
    (home / "p" / "inner" / ".kiro").mkdir(parents=True)
    assert find_project(home / "p" / "inner", home=home) == home / "p" / "inner"


def test_a_file_stands_for_its_folder(home):
    (home / "p" / ".git").mkdir(parents=True)
    (home / "p" / "file").touch()
    assert find_project(home / "p" / "file", home=home) == home / "p"


@pytest.mark.parametrize("mark", [".git", ".kiro", ".shiage"])
def test_a_home_folder_under_git_makes_no_project_of_everything(home, mark):
    (home / mark).mkdir()
    (home / "notes").mkdir()
    error = missing(home / "notes", home)
    assert "shiage init" in error.help
    assert str(home / "notes") in error.message


@pytest.mark.parametrize("mark", ["shiage.toml", ".kiro/specs"])
def test_a_home_folder_that_says_so_is_a_project(home, mark):
    (home / mark).mkdir(parents=True)
    assert find_project(home, home=home) == home


@pytest.mark.parametrize("name", ["nowhere", "nul\0byte"])
def test_a_folder_that_is_not_there_is_named(home, name):
    assert "there is no folder" in missing(home / name, home).message


def test_a_loop_of_links_is_no_folder(home):
    (home / "loop").symlink_to(home / "loop")
    assert "there is no folder" in missing(home / "loop", home).message


def test_a_person_without_home_folder_has_projects_too(tmp_path, monkeypatch):
    (tmp_path / ".git").mkdir()
    monkeypatch.setenv("HOME", "~")
    monkeypatch.setattr(Path, "home", lambda: Path("~nobody-of-that-name-here").expanduser())
    assert find_project(tmp_path) == tmp_path


def test_a_mark_that_cannot_be_looked_at_is_none(home, monkeypatch):
    def forbidden(_self, **_):
        raise PermissionError

    monkeypatch.setattr(Path, "exists", forbidden)
    missing(home, home)


@pytest.mark.parametrize(
    ("environ", "expected"),
    [
        ({"XDG_STATE_HOME": "/x", "HOME": "/h"}, "/x/shiage"),
        ({"XDG_STATE_HOME": "x", "HOME": "/h"}, "/h/.local/state/shiage"),
    ],
)
def test_state_stands_where_xdg_says(environ, expected):
    assert user_state_dir(environ) == Path(expected)


def test_without_a_home_folder_state_has_no_place():
    with pytest.raises(UserError, match="no home folder") as caught:
        user_state_dir({})
    assert caught.value.code == "no-home"
