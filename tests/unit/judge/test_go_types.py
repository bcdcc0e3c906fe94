"""Braces of a Go type are no body, and a sentence that goes on in a comment is no omission."""

from shiage.judge import check


def rules(text: str) -> set[str]:
    return {finding.rule for finding in check(report="Added it.", after={"a.go": f"package a\n\n{text}"}).findings}


def test_an_empty_interface_as_a_result_is_a_type() -> None:
    assert rules("func (a Args) Get(index int) interface{} {\n\treturn a[index]\n}\n") == set()
    assert rules("func Of() map[string]interface{} {\n\treturn nil\n}\n") == set()
    assert rules("func Done() struct{} {\n\treturn struct{}{}\n}\n") == set()
    assert rules("func Size() int {\n}\n") == {"empty-body"}


def test_a_comment_whose_sentence_goes_on_after_dots_leaves_nothing_out() -> None:
    assert rules("/*\nMatch on paths...\n\n...or HTTP methods:\n\n\tr.Methods()\n*/\nvar a = 1\n") == set()
    assert rules("func f() int {\n\t// ... other methods\n\treturn 1\n}\n") == {"omission-comment"}
