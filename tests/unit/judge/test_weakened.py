"""Tests and assertions as each library writes them: which are counted, and when they may go."""

import pytest

from shiage.judge import check
from shiage.judge.brace_bodies import header_of, name_of

#: A whole test of each library, with its name and what it asserts.
TESTS = [
    ("tests/test_a.py", "def test_{}():\n    {}\n"), ("tests/test_a.py", "async def test_{}():\n    {}\n"), ("tests/test_a.py", "class TestA:\n    def test_{}(self):\n        {}\n"),
    ("a.test.js", "it('{}', () => {{\n  {}\n}});\n"), ("a.test.js", "test(\"{}\", function () {{\n  {}\n}});\n"), ("a.test.js", "specify(`{}`, () => {{\n  {}\n}});\n"), ("a.test.js", "it(\n  '{}', () => {{\n  {}\n}});\n"),
    ("a.test.js", "test.each([1, 2])('{}', (n) => {{\n  {}\n}});\n"), ("a_test.go", "func Test{}(t *testing.T) {{\n\t{}\n}}\n"), ("tests/a.rs", "#[test]\nfn {}() {{\n    {}\n}}\n"),
    ("tests/a.rs", "#[tokio::test]\nasync fn {}() {{\n    {}\n}}\n"), ("src/test/ATest.java", "@Test\npublic void {}() {{\n  {}\n}}\n"), ("src/test/ATest.java", "@Test\n@Timeout(5)\nvoid {}() {{\n  {}\n}}\n"), ("tests/ATest.php", "<?php\npublic function test{}() {{\n  {}\n}}\n"),
    ("tests/ATest.php", "<?php\nfunction test_{}() {{\n  {}\n}}\n"), ("ATests.cs", "[Fact]\npublic void {}() {{\n  {}\n}}\n"), ("ATests.cs", "[Test]\npublic void {}() {{\n  {}\n}}\n"),
    ("ATests.cs", "[Theory]\n[InlineData(1)]\npublic void {}(int n) {{\n  {}\n}}\n"), ("ATests.cs", "[TestMethod]\npublic void {}() {{\n  {}\n}}\n"), ("a_test.cpp", "TEST(A, {}) {{\n  {}\n}}\n"),
    ("a_test.cpp", "TEST_F(A, {}) {{\n  {}\n}}\n"), ("a_test.cpp", "TEST_P(A, {}) {{\n  {}\n}}\n"), ("test_a.c", "static void test_{}(void) {{\n  {}\n}}\n"), ("test_a.c", "void test{}(void) {{\n  {}\n}}\n"),
    ("tests/a.bats", "@test \"{}\" {{\n  {}\n}}\n"), ("spec/a_spec.rb", "it '{}' do\n  {}\nend\n"), ("spec/a_spec.rb", "  specify \"{}\" do\n  {}\nend\n"), ("test/a_test.rb", "test '{}' do\n  {}\nend\n"),
]  # fmt: skip
ASSERTIONS = [
    "assert {}", "self.assertEqual({}, 1)", "self.fail({})", "expect({}).toBe(1)", "assert({})", "assert_eq!({}, 1)", "assert.equal({}, 1)", "assertEquals({}, 1)", "assertThat({})", "t.Errorf({})", "t.Fatal({})", "t.FailNow({})",
    "require.NoError({})", "ASSERT_EQ({}, 1)", "EXPECT_NE({}, 1)", "pytest.raises({})", "{}.should be 1", "Assert.Equal({}, 1)", "Assert.Throws<Error>({})", "TEST_ASSERT_EQUAL({}, 1)", "assert_equal {}, 1", "refute_nil {}", "refute {}", "assert!({})",
]  # fmt: skip


def rules(after, before, request="Fix it"):
    findings = check(report="Fixed it.", after=after, before=before, request=request, criteria=["Q5"]).findings
    return [(one.rule, one.quote) for one in findings]


@pytest.mark.parametrize(("path", "form"), TESTS, ids=[f"{path} {form[:22]!r}" for path, form in TESTS])
def test_a_test_is_missed_by_its_name(path, form):
    one, two = form.format("Adds", "go(1);"), form.format("Removes", "go(2);")
    ((rule, quote),) = rules({path: one}, {path: f"{one}\n{two}"})
    assert rule == "test-removed" and "Removes" in quote
    assert rules({path: f"{one}\n{two}"}, {path: one}) == []
    assert rules({path: f"{two}\n{one}"}, {path: f"{one}\n{two}"}) == []
    ((rule, quote),) = rules({path: None, "b.txt": "b\n"}, {path: one})
    assert rule == "test-deleted" and "Adds" in quote


@pytest.mark.parametrize("assertion", ASSERTIONS)
def test_an_assertion_is_missed_with_its_words(assertion):
    path, form = "a.test.js", "it('adds', () => {{\n  {}\n}});\n"
    one, two = assertion.format("a"), assertion.format("b")
    both = form.format(f"{one}\n  {two}")
    assert rules({path: form.format(one)}, {path: both}) == [("assertion-removed", two)]
    assert rules({path: both}, {path: form.format(one)}) == []
    assert rules({path: form.format(f"{two}\n  {one}")}, {path: both}) == []


def test_an_assertion_may_go_from_code_that_is_no_test():
    assert rules({"src/a.py": "x = 1\n"}, {"src/a.py": "assert x\nx = 1\n"}) == []


def test_a_word_that_only_looks_like_an_assertion_may_go():
    old = "def test_a():\n    assert go()\n    x.assert_it\n    unexpect(1)\n    reassert(1)\n"
    assert rules({"tests/test_a.py": "def test_a():\n    assert go()\n"}, {"tests/test_a.py": old}) == []


def test_an_assertion_in_a_comment_is_none():
    old = "def test_a():\n    assert go()\n    # assert more()\n"
    assert rules({"tests/test_a.py": "def test_a():\n    assert go()\n"}, {"tests/test_a.py": old}) == []


def test_a_new_test_may_take_an_assertion_with_it():
    """More tests with fewer assertions are a new arrangement."""
    old = "def test_a():\n    assert go(1)\n    assert go(2)\n    assert go(3)\n"
    new = "def test_a():\n    assert go(1)\n\n\ndef test_b():\n    assert go(2)\n"
    assert rules({"tests/test_a.py": new}, {"tests/test_a.py": old}) == []
    renamed = "def test_c():\n    assert go(1)\n"
    assert rules({"tests/test_a.py": renamed}, {"tests/test_a.py": old}) == [("assertion-removed", "assert go(2)")]


@pytest.mark.parametrize(
    ("test", "subject", "gone"),
    [("tests/test_app.py", "src/app.py", True), ("app.test.js", "app.js", True), ("app.spec.ts", "app.ts", True), ("app_test.go", "app.go", True), ("src/AppTest.java", "src/App.java", True), ("AppTests.cs", "App.cs", True),
     ("AppSpec.scala", "App.scala", True), ("app-test.js", "app.js", True), ("tests/test_app.py", "src/other.py", False), ("tests/test_app.py", "tests/app.py", False)],
)  # fmt: skip
def test_the_tests_of_deleted_code_may_go_with_it(test, subject, gone):
    form = next((form for path, form in TESTS if path.endswith(test.rsplit(".", 1)[1])), "TEST(A, {}) {{\n  {}\n}}\n")
    text = form.format("Adds", "go();")
    found = rules({test: None, subject: None, "b.txt": "b\n"}, {test: text, subject: "x\n"})
    assert ("test-deleted" in {rule for rule, _ in found}) is not gone
    two = f"{text}\n{form.format('Removes', 'go();')}"
    found = rules({test: text, subject: None}, {test: two, subject: "x\n"})
    assert ("test-removed" in {rule for rule, _ in found}) is not gone


def test_code_that_still_stands_keeps_its_tests():
    test = "def test_a():\n    assert go()\n"
    found = rules({"tests/test_app.py": None, "app.py": "x = 2\n"}, {"tests/test_app.py": test, "app.py": "x = 1\n"})
    assert found == [("test-deleted", "test_a")]


def test_a_test_that_moved_to_another_test_file_is_not_lost():
    test = "def test_a():\n    assert go()\n"
    assert rules({"tests/test_a.py": None, "tests/test_b.py": test}, {"tests/test_a.py": test}) == []
    assert rules({"tests/test_a.py": None, "src/b.py": test}, {"tests/test_a.py": test}) == [("test-deleted", "test_a")]


def test_a_generated_test_is_nobodys():
    old = "# @generated\ndef test_a():\n    assert go()\n    assert no()\n"
    assert rules({"tests/test_a.py": "# @generated\ndef test_a():\n    go()\n"}, {"tests/test_a.py": old}) == []


# ---------------------------------------------------------------- headers


@pytest.mark.parametrize(
    ("header", "name"),
    [("function load(a)", "load"), ("const load = (a) =>", "load"), ("const load: (a: A) => B = async function", "load"), ("load: async (a) =>", "load"), ("load = a =>", "load"), ("def load[T](a)", "load"), ("load<T>(a): B", "load"),
     ("func (s *Store) Load(a int)", "Load"), ("public int load(int a)", "load"), (".a > .b", ""), ("fn load<T>(a: T)", "load"), ("$load(a)", "$load"), ("function (a)", ""), ("func(a int)", ""), ("fn (a)", "")],
)  # fmt: skip
def test_a_header_names_its_function(header, name):
    assert name_of(header) == name


@pytest.mark.parametrize(
    "word",
    ["if", "for", "while", "switch", "catch", "else", "do", "try", "match", "loop", "with", "synchronized", "lock", "using", "foreach", "return", "unless", "elif", "defined"],
)  # fmt: skip
def test_a_word_of_control_names_no_function(word):
    assert name_of(f"{word} (ready)") == name_of(f"{word} ready(a)") == name_of(f"}} {word} (load(a))") == ""


@pytest.mark.parametrize("before", ["a;", "a {", "a }", "a\n\n", ""])
def test_a_header_begins_behind_what_ends_before_it(before):
    code = f"{before} int\n f(a) {{"
    assert header_of(code, len(code) - 1) == "int\n f(a)"


def test_a_header_is_looked_for_so_far():
    for spaces, header in ((398, "ab"), (399, "b"), (400, "")):
        code = "ab" + " " * spaces + "{"
        assert header_of(code, len(code) - 1) == header
