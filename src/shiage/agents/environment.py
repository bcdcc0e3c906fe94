"""What an agent gets to see of our environment: a list of names, not everything."""

from collections.abc import Mapping
from itertools import chain
from pathlib import Path

from shiage.agents.adapter import Adapter, AgentSettings, Features, Invocation, Job

# fmt: off
#: What programs need to find themselves, people, certificates, proxies, key rings and tool chains.
NAMES = frozenset((
    "PATH", "HOME", "USER", "LOGNAME", "SHELL", "LANG", "LANGUAGE", "TERM", "COLORTERM", "NO_COLOR", "TZ", "TMPDIR",
    "HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "NO_PROXY", "http_proxy", "https_proxy", "all_proxy", "no_proxy",
    "NODE_EXTRA_CA_CERTS", "NODE_USE_SYSTEM_CA", "NODE_OPTIONS", "REQUESTS_CA_BUNDLE", "CURL_CA_BUNDLE",
    "GIT_SSL_CAINFO", "DISPLAY", "WAYLAND_DISPLAY", "LOCALE_ARCHIVE",
    # Logins in a key ring are reached over the bus; fetching and signing need the person's own agents.
    "DBUS_SESSION_BUS_ADDRESS", "SSH_AUTH_SOCK", "GNUPGHOME", "GIT_SSH_COMMAND", "GIT_CONFIG_GLOBAL",
    "VIRTUAL_ENV", "JAVA_HOME", "GOPATH", "GOROOT", "CARGO_HOME", "RUSTUP_HOME", "VOLTA_HOME", "PNPM_HOME",
    "BUN_INSTALL", "DENO_DIR", "DOTNET_ROOT", "GEM_HOME", "ANDROID_HOME", "SDKMAN_DIR", "N_PREFIX",
))
# fmt: on
PREFIXES = (
    "LC_",
    "XDG_",
    "SSL_CERT_",
    "NVM_",
    "FNM_",
    "ASDF_",
    "MISE_",
    "PYENV_",
    "RBENV_",
    "NODENV_",
    "CONDA_",
    "UV_",
    "PIP_",
    "npm_config_",
    "NPM_CONFIG_",
    "NIX_",
    "WSL",
)  # fmt: skip


def inherited(base: Mapping[str, str], can: Features) -> dict[str, str]:
    """The part of our environment that is handed on to an agent of this kind."""
    further = (prefixes for switch, prefixes in can.env_if if base.get(switch))
    wanted = (*PREFIXES, *can.env_prefixes, *chain.from_iterable(further))
    return {name: value for name, value in base.items() if name in NAMES or name.startswith(wanted)}


def chosen(base: Mapping[str, str], settings: AgentSettings) -> dict[str, str]:
    """What the settings name: a value, or with `$NAME` our own value of that name if there is one."""
    values = {name: base.get(value[1:]) if value.startswith("$") else value for name, value in settings.env.items()}
    return {name: value for name, value in values.items() if value is not None}


def environment(
    base: Mapping[str, str],
    adapter: Adapter,
    settings: AgentSettings,
    job: Job,
    invocation: Invocation,
    room: Path | None = None,
) -> dict[str, str]:
    """The complete environment of an agent; a person's settings win over the adapter's wishes.

    `room` is for its temporary files: sockets and outputs of several agents would meet in a folder that all share.
    """
    kept = inherited(base, adapter.features)
    own = {"TMPDIR": str(room)} if room else {}
    return {**kept, **own, **invocation.env, **chosen(base, settings), **job.environment}
