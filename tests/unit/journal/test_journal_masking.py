"""Secrets are masked, and nothing else is.

Every sample is put together here, so that nothing in this file looks like a credential to a scanner.
"""

import sys
import sysconfig
import time
from collections import OrderedDict
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from shiage.journal.masking import mask, mask_text, masked

MIXED = "aB3dE6gH9jK2mN5pQ8sT1vW4yZ7" * 4  #: letters and digits as a generator makes them
DASHES = "-" * 5
BODY = "\n".join([MIXED[:64], MIXED[3:67], MIXED[5:40] + "=="])


def pem(kind="RSA ", body=BODY):
    return f"{DASHES}BEGIN {kind}PRIVATE KEY{DASHES}\n{body}\n{DASHES}END {kind}PRIVATE KEY{DASHES}"


SECRETS = [
    ("anthropic-key", "sk-" + "ant-api03-" + MIXED[:80]),
    ("anthropic-key", "sk-" + "ant-" + "x" * 40),
    ("openai-key", "sk-" + MIXED[:48]),
    ("openai-key", "sk-" + "a" * 48),
    ("openai-key", "sk-" + "proj-" + MIXED[:20] + "_-" + MIXED[:30]),
    ("openai-key", "sk-" + "or-v1-" + "0af9" * 16),
    ("github-token", "ghp" + "_" + MIXED[:36]),
    ("github-token", "gho" + "_" + "A" * 36),
    ("github-token", "ghs" + "_" + MIXED[:36]),
    ("github-token", "github" + "_pat_" + MIXED[:22] + "_" + MIXED[:59]),
    ("gitlab-token", "glpat" + "-" + MIXED[:20]),
    ("aws-key", "AKIA" + "Z7Q2" * 4),
    ("aws-key", "ASIA" + "Z7Q2" * 4),
    ("slack-token", "xox" + "b-" + "1234567890-" * 2 + MIXED[:24]),
    ("slack-token", "xapp" + "-1-A0123-" + MIXED[:30]),
    ("google-key", "AIza" + MIXED[:35]),
    ("google-key", "ya29" + "." + MIXED[:40]),
    ("google-key", "GOCSPX" + "-" + MIXED[:28]),
    ("npm-token", "npm" + "_" + MIXED[:36]),
    ("pypi-token", "pypi" + "-AgEIcHlwaS5vcmc" + MIXED[:70]),
    ("pypi-token", "pypi" + "-" + "A" * 60),
    ("stripe-key", "sk" + "_live_" + MIXED[:24]),
    ("stripe-key", "rk" + "_test_" + MIXED[:24]),
    ("stripe-key", "whsec" + "_" + MIXED[:32]),
    ("model-key", "gsk" + "_" + MIXED[:52]),
    ("model-key", "hf" + "_" + MIXED[:34]),
    ("jwt", "eyJ" + MIXED[:17] + ".eyJ" + MIXED[:40] + "." + MIXED[:43]),
    ("private-key", pem()),
    ("private-key", pem("")),
    ("private-key", pem("OPENSSH ")),
    ("private-key", pem("RSA ", "Proc-Type: 4,ENCRYPTED\nDEK-Info: AES-128-CBC,0A\n\n" + BODY)),
    ("private-key", pem().replace("\n", "\\n")),
    ("private-key", pem("", "MIIabc12")),
]

IN_CONTEXT = [
    ("aws-secret", "aws_secret_access_key = {}", MIXED[:20] + "/" + MIXED[:19]),
    ("aws-secret", '"SecretAccessKey": "{}"', MIXED[:20] + "+" + MIXED[:19]),
    ("aws-secret", "AWS_SESSION_TOKEN={}", (MIXED * 3)[:200] + "=="),
    ("authorization", "Authorization: Bearer {}", MIXED[:30]),
    ("authorization", "authorization: bearer {}", "quietlyhidden"),
    ("authorization", '-H "Authorization: Basic {}"', "dXNlcjpwYXNz"),
    ("authorization", "{{'Authorization': 'Bearer {}'}}", MIXED[:30]),
    ("authorization", "sent Bearer {} to the host", MIXED[:32]),
    ("webhook", "https://hooks.slack." + "com/services/{}", "T012345/B012345/" + MIXED[:24]),
    ("webhook", "https://discord." + "com/api/webhooks/{}", "123456789/" + MIXED[:60]),
    ("url-password", "https://user:{}@example.com/repo.git", "hunter2"),
    ("url-password", "postgresql://app:{}@db:5432/x", "p:w"),
    ("url-password", "redis://:{}@localhost", "s3cret"),
    ("password", 'password = "{}"', "hunter2hunter2"),
    ("password", 'password = "{}"', "qWeRtYuIo1"),
    ("password", "PASSWORD: str = '{}'", MIXED[:12]),
    ("password", 'db_password="{}"', "S3cureP4ssw0rd"),
    ("password", '"api_key": "{}",', MIXED[:20]),
    ("password", '\\"clientSecret\\": \\"{}\\"', MIXED[:20]),
    ("password", "os.environ['API_KEY'] = '{}'", MIXED[:20]),
    ("password", "export API_TOKEN={}", MIXED[:32]),
    ("password", "secret: {}", "0af9c3b1" * 4),
    ("password", "?access_key={}&page=2", MIXED[:32]),
]


@pytest.mark.parametrize(("kind", "secret"), SECRETS)
@pytest.mark.parametrize(
    "around", ["{}", "key={} and more", '{{"text": "first\\n{}"}}', "a%3D{}", "日本語「{}」", "({}),"]
)
def test_a_secret_is_masked_wherever_it_stands(kind, secret, around):
    assert mask_text(around.format(secret)) == around.format(f"[masked:{kind}]")


@pytest.mark.parametrize(("kind", "around", "secret"), IN_CONTEXT)
def test_a_secret_is_known_by_what_stands_before_it(kind, around, secret):
    assert mask_text(around.format(secret)) == around.format(f"[masked:{kind}]")


def test_a_private_key_that_was_cut_off_is_masked_as_far_as_it_goes():
    masked_text = mask_text("key:\n" + pem()[:120])
    assert masked_text.startswith("key:\n[masked:private-key]") and MIXED[:20] not in masked_text


def test_the_most_telling_kind_is_kept():
    secret = "ghp" + "_" + MIXED[:36]
    assert mask_text(f"https://x:{secret}@github.com/a/b") == "https://x:[masked:github-token]@github.com/a/b"
    assert mask_text(f'token = "{secret}"') == 'token = "[masked:github-token]"'
    assert mask_text(f"Authorization: Bearer {secret}") == "Authorization: Bearer [masked:github-token]"


def test_several_secrets_in_one_text_are_all_masked():
    one, two = "ghp" + "_" + MIXED[:36], "npm" + "_" + MIXED[:36]
    assert mask_text(f"{one} {two} {one}") == "[masked:github-token] [masked:npm-token] [masked:github-token]"


@pytest.mark.parametrize(
    "text",
    [
        'password = os.environ["PASSWORD"]',
        'password = "password"',
        'password = "x0x0x0x0x0x0"',
        'token = "OAuth2TokenProvider"',
        'password = "correct horse battery staple"',
        "password = getpass.getpass()",
        "token = tokenizer.next2(stream1, 3)",
        "token = parse_http2_header_v3(value)",
        "token=response2Data.accessToken",
        'token_type = "application/json"',
        'secret_name = "prod/service-1/database-2"',
        'api_key = "${API_KEY_1}"',
        "api_key: {{ secrets.API_KEY_V2_2024 }}",
        "key = sha256_of_v2_manifest",
        "git commit 3f786850e387550fdab836ed7e6dc881de23001b",
        "sha512-" + MIXED,
        "Authorization: Bearer <token>",
        "Authorization: Bearer $TOKEN",
        "Authorization: Bearer YOUR_API_TOKEN",
        "Authorization: Bearer your-access-token",
        "the bearer of this certificate-of-authenticity",
        "http://localhost:8080/@scope/package@1.2.3",
        "https://example.com/a:b@c",
        "postgresql://{user}:{password}@{host}",
        "ssh://git@github.com:22/x",
        f"a {DASHES}BEGIN PRIVATE KEY{DASHES} line and a {DASHES}END PRIVATE KEY{DASHES} line",
        f'if "{DASHES}BEGIN RSA PRIVATE KEY{DASHES}" in text:',
        "class=sk-folding-cube-of-many-colours",
        "risk-assessmentofthewholeprojectnow",
        "self_" + "hf" * 30,
        "npm_config_registry_and_more",
        "AKIA is a prefix, AKIAAAAA too",
        "eyJhbGciOi.not.a-token",
        "550e8400-e29b-41d4-a716-446655440000",
        "~/.shiage/runs/2025-01-23/attempt-1.log",
    ],
)
def test_ordinary_text_stays_as_it_is(text):
    assert mask_text(text) == text


#: Files of the standard library with literal credentials in them, rightly masked: test data for URLs and headers.
CREDENTIALS_IN_THE_STDLIB = {
    "test_urllib.py",
    "test_urllib2.py",
    "test_urllib2net.py",
    "test_urlparse.py",
    "test_xmlrpc.py",
}


def test_the_sources_of_the_standard_library_stay_as_they_are():
    root = Path(sysconfig.get_path("stdlib"))
    files = sorted(path for path in [*root.glob("*.py"), *root.glob("*/*.py")] if path.parent.name != "site-packages")
    sample = files[:: max(1, len(files) // 300)]
    texts = {path: path.read_text("utf-8", "surrogateescape").encode("utf-8", "replace").decode() for path in sample}
    changed = {path.name for path, text in texts.items() if mask_text(text) != text}
    assert len(sample) >= 100
    assert changed <= CREDENTIALS_IN_THE_STDLIB


HOSTILE = [
    "ghp_", "sk-", "sk-proj-", "eyJ", "eyJaaaaaaaa.", f"{DASHES}BEGIN PRIVATE KEY{DASHES}",
    f"{DASHES}BEGIN PRIVATE KEY{DASHES}A-", f"{DASHES}BEGIN PRIVATE KEY{DASHES}\n" + "a" * 40,
    "password", 'password = "', "password:", "password: a|b=", "secret_key=", "token\t", "key: \t",
    "Authorization: Bearer ", "Authorization: Bearer token", "bearer ", "xoxb-", "://", "http://a:", "a://b:",
    "AKIA", "npm_", "\\n", "%3D",
    "hooks.slack.com/services/", "api_key_", "a", "aA1", " ", "é", "\0",
]  # fmt: skip


#: Seconds of this process for a megabyte; measuring coverage makes each call three times as slow.
LIMIT = 0.2 if sys.gettrace() is None else 0.6


@pytest.mark.parametrize("piece", HOSTILE)
def test_a_megabyte_of_anything_takes_no_time(piece):
    text = (piece * (1_000_000 // len(piece) + 1))[:1_000_000]
    mask_text(text[:1000])  # compiles the patterns
    assert min(_seconds(text) for _ in range(3)) < LIMIT


def _seconds(text):
    start = time.process_time()
    mask_text(text)
    return time.process_time() - start


@pytest.mark.parametrize("tail", ["1", " 1"])
def test_one_giant_token_takes_no_time(tail):
    """A check behind a pattern must be linear too."""
    assert _seconds("Authorization: Bearer " + "token" * 200_000 + tail) < LIMIT
    assert _seconds("Bearer " + "aB1" * 333_000 + tail) < LIMIT
    assert _seconds('password = "' + "aB1-" * 250_000 + tail) < LIMIT


fragments = st.sampled_from(
    [secret for _, secret in SECRETS] + [text for _, text, _ in IN_CONTEXT] + ["=", '"', " ", ":"]
)


@given(st.lists(fragments | st.text(max_size=5), max_size=6).map(" ".join))
def test_masking_twice_is_masking_once(text):
    once = mask_text(text)
    assert mask_text(once) == once


class Colour(StrEnum):
    RED = "red"


@dataclass(frozen=True)
class Part:
    name: str


def test_values_come_out_in_plain_types_with_every_string_masked():
    secret = "ghp" + "_" + MIXED[:36]
    value = OrderedDict(
        text=secret, parts=(Part(secret), [secret]), none=None, yes=True, number=3, half=0.5, colour=Colour.RED
    )
    token = "[masked:github-token]"
    plain = mask(value)
    assert plain == {
        "text": token, "parts": [{"name": token}, [token]],
        "none": None, "yes": True, "number": 3, "half": 0.5, "colour": "red",
    }  # fmt: skip
    assert isinstance(plain, dict) and type(plain["colour"]) is str


def test_names_of_fields_are_masked_and_tell_of_secrets():
    secret = "ghp" + "_" + MIXED[:36]
    content = {secret: 1, "API_KEY": MIXED[:24], "password": "unknown", "session": MIXED[:24], 5: "five"}
    assert masked(content) == {
        "[masked:github-token]": 1, "API_KEY": "[masked:password]",
        "password": "unknown", "session": MIXED[:24], "5": "five",
    }  # fmt: skip


def test_infinity_stays_beyond_every_other_number():
    assert mask([float("inf"), float("-inf")]) == [sys.float_info.max, -sys.float_info.max]


def test_what_json_cannot_carry_is_said_in_words():
    deep = []
    for _ in range(5000):
        deep = [deep]
    assert mask([float("nan"), 10**5000]) == [None, "[a number of 16610 bits]"]
    assert "[nested too deep]" in repr(mask(deep))
