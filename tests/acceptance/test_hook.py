"""The gate as a Stop hook: an agent may not stop while its change would be rejected, seven times at most."""

import json
from pathlib import Path

BAD = "def total(rows):\n    return 0  # TODO: sum\n"


def asked(project, session="s1", words="I wrote total.py and tried it.", variables=None, **more):
    said = json.dumps({"session_id": session, "hook_event_name": "Stop", "last_assistant_message": words, **more})
    answer = project.shiage("hook", "stop", stdin=said, variables=variables)
    assert answer.code == 0, answer
    return json.loads(answer.out) if answer.out.strip() else None


def test_a_stop_is_blocked_with_the_place_and_what_to_do_and_allowed_once_it_is_repaired(project):
    assert asked(project) is None  # nothing was changed: a conversation is not judged
    (project.root / "total.py").write_text(BAD)
    answer = asked(project)
    assert answer["decision"] == "block"
    assert "total.py:2" in answer["reason"] and "TODO: sum" in answer["reason"] and "Q2" in answer["reason"]
    (project.root / "total.py").write_text("def total(rows):\n    return sum(rows)\n")
    assert asked(project) is None


def test_it_counts_to_seven_for_each_session_and_then_lets_go(project):
    (project.root / "total.py").write_text(BAD)
    answers = [asked(project) for _ in range(8)]
    assert [bool(answer) for answer in answers] == [True] * 7 + [False]
    assert "7" in answers[6]["reason"]
    assert asked(project, session="s2")["decision"] == "block"


def test_the_words_may_stand_in_a_transcript(project, tmp_path):
    (project.root / "total.py").write_text("def total(rows):\n    return sum(rows)\n")
    lines = [
        {"type": "user", "message": {"content": "sum the rows"}},
        {
            "type": "assistant",
            "message": {"content": [{"type": "text", "text": "I left the tests as a TODO for later."}]},
        },
    ]
    transcript = tmp_path / "transcript.jsonl"
    transcript.write_text("\n".join(map(json.dumps, lines)) + "\n")
    answer = asked(project, words=None, transcript_path=str(transcript))
    assert answer is not None and answer["decision"] == "block"


def test_inside_a_run_of_shiage_and_outside_a_project_it_holds_nobody_up(project):
    (project.root / "total.py").write_text(BAD)
    assert asked(project, variables={"SHIAGE_RUN": "r-0001"}) is None
    said = project.shiage("hook", "stop", stdin="{}", cwd=Path("/"))
    assert (said.code, said.out) == (0, "")


def test_what_it_cannot_judge_is_told_to_the_person_and_does_not_trap_the_agent(project):
    (project.root / "shiage.toml").write_text("[review_loop]\nmax_iterations = 'many'\n")
    assert "max_iterations" in asked(project)["systemMessage"]
    (project.root / "shiage.toml").unlink()
    said = project.shiage("hook", "stop", stdin="no json")
    assert said.code == 0 and "JSON" in json.loads(said.out)["systemMessage"]
