"""What an agent gets to see of our environment: a list of names, not everything."""

from collections.abc import Mapping

from shiage.agents.adapter import Adapter, AgentSettings, Invocation, Job

# fmt: off
#: What programs need to find themselves, people, certificates, proxies and tool chains.
NAMES = frozenset((
    "PATH", "HOME", "USER", "LOGNAME", "SHELL", "LANG", "LANGUAGE", "TERM", "COLORTERM", "NO_COLOR", "TZ", "TMPDIR",
    "HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "NO_PROXY", "http_proxy", "https_proxy", "all_proxy", "no_proxy",
    "NODE_EXTRA_CA_CERTS", "REQUESTS_CA_BUNDLE", "CURL_CA_BUNDLE", "DISPLAY", "WAYLAND_DISPLAY",
    "VIRTUAL_ENV", "JAVA_HOME", "GOPATH", "GOROOT", "CARGO_HOME", "RUSTUP_HOME", "NVM_DIR", "VOLTA_HOME",
    "PYENV_ROOT", "PNPM_HOME",
))
# fmt: on
PREFIXES = ("LC_", "XDG_", "SSL_CERT_")


def inherited(base: Mapping[str, str], prefixes: tuple[str, ...] = ()) -> dict[str, str]:
    """The part of our environment that is handed on."""
    wanted = (*PREFIXES, *prefixes)
    return {name: value for name, value in base.items() if name in NAMES or name.startswith(wanted)}


def chosen(base: Mapping[str, str], settings: AgentSettings) -> dict[str, str]:
    """What the settings name: a value, or with `$NAME` our own value of that name if there is one."""
    values = {name: base.get(value[1:]) if value.startswith("$") else value for name, value in settings.env.items()}
    return {name: value for name, value in values.items() if value is not None}


def environment(
    base: Mapping[str, str], adapter: Adapter, settings: AgentSettings, job: Job, invocation: Invocation
) -> dict[str, str]:
    """The complete environment of an agent; a person's settings win over the adapter's wishes."""
    kept = inherited(base, adapter.features.env_prefixes)
    return {**kept, **invocation.env, **chosen(base, settings), **job.environment}
