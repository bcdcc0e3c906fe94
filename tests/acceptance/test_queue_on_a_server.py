"""The queue of many machines as a person meets it."""

import signal
import subprocess

import pytest
from private_postgres import HASTY, NoPostgres, Server, free_port
from scenes import story

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def server():
    try:
        made = Server(HASTY, free_port())
    except NoPostgres as error:
        pytest.skip(str(error))
    made.start()
    yield made
    made.remove()


def with_remote(project):
    """Runs in a shared queue travel by a repository that every machine knows."""
    (project.home / ".gitconfig").write_text("[user]\nname = Ada\nemail = ada@localhost\n")
    hub = str(project.root.parent / "hub.git")
    begun = (("init", "-q", "--bare", hub), ("remote", "add", "origin", hub), ("add", "-A"), ("commit", "-qm", "begin"))
    for words in (*begun, ("push", "-q", "origin", "HEAD:main")):
        subprocess.run(["git", *words], cwd=project.root, env=dict(project.environ), check=True)


def test_tickets_on_a_server_are_added_listed_and_cancelled_from_any_checkout(project, server):
    project.cast(story())
    project.given()
    with_remote(project)
    queue = ("--queue", f"{server.network_url}?queue=listed")
    assert project.shiage("queue", "add", "login", "--not-before", "+90m", *queue).code == 0
    told = project.shiage("queue", "list", "--json", *queue).json["tickets"]
    assert [(row["spec"], row["state"], row["waits_for"]) for row in told] == [("login", "QUEUED", "time")]
    assert project.shiage("queue", "cancel", "login", *queue).code == 0
    assert project.shiage("queue", "list", "--json").json["tickets"] == []
    found = project.shiage("queue", "list", "--json", variables={"SHIAGE_QUEUE__URL": queue[1]}).json["ended"]
    assert [row["state"] for row in found] == ["CANCELLED"]


def test_a_wrong_password_is_refused_and_shown_nowhere(project, server):
    project.cast(story())
    url = server.network_url.replace(server.password, "geheim")
    refused = project.shiage("queue", "list", "--queue", url)
    assert refused.code == 1 and "error[queue-refused]" in refused.err
    assert "geheim" not in refused.out + refused.err and "127.0.0.1" in refused.err


def test_a_worker_waits_while_the_server_is_away_and_says_so_and_when_it_is_back(project, server):
    project.cast(story())
    project.given()
    with_remote(project)
    queue = ("--queue", f"{server.url}&queue=patient")
    worker = project.start("worker", "--name", "patient", *queue)
    assert "patient" in worker.stdout.readline()
    second = project.shiage("worker", "--name", "patient", "--json", *queue)
    assert second.json["error"]["code"] == "worker-name-taken"
    server.stop("immediate")
    assert "error[queue-gone]" in worker.stderr.readline()
    assert project.shiage("queue", "add", "login", "--json", *queue).json["error"]["code"] == "queue-gone"
    server.start()
    assert "the queue is back" in worker.stdout.readline()
    seen = project.shiage("queue", "list", "--json", *queue).json["workers"]
    assert [owner["name"] for owner in seen] == ["patient"]
    worker.send_signal(signal.SIGTERM)
    worker.communicate(timeout=30)
    assert worker.returncode == 0
