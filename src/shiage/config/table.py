"""Every setting once: its key, what it takes, and what it is for. The loader, `config show` and the docs read it."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from shiage.config import kinds
from shiage.config.kinds import Kind, optional, whole
from shiage.config.places import Key
from shiage.config.settings import BUG_PHASES, PHASES, ROLES, AgentConfig, Settings

_DEFAULTS = Settings()
_DECLARED = AgentConfig(kind="")  #: an [agents.NAME] table in which nothing is set
ANY = "*"  #: stands for the name in [agents.NAME]


@dataclass(frozen=True, slots=True)
class Setting:
    key: str  #: dotted
    kind: Kind
    en: str
    ja: str

    @property
    def path(self) -> Key:
        return tuple(self.key.split("."))

    @property
    def default(self) -> Any:
        """The value when no layer names it."""
        if self.path[0] == "agents":
            return None if self.path[-1] == "kind" else getattr(_DECLARED, self.path[-1])
        value: Any = _DEFAULTS
        for part in self.path:
            value = value.get(part) if isinstance(value, Mapping) else getattr(value, part)
        return value

    def description(self, language: str | None) -> str:
        return self.ja if language == "ja" else self.en


_PERMISSIONS = tuple(
    Setting(
        f"permissions.{phase}",
        kinds.BOOL,
        f"a run may enter {phase} by itself",
        f"自動実行で {phase} に入ってよいか",
    )
    for phase in PHASES + BUG_PHASES
)

_ROLES = tuple(
    Setting(
        f"roles.{role}",
        optional(kinds.NAME),
        f"agent for the {role}; none: the default agent",
        f"{role} を担当するエージェント (none: 既定のエージェント)",
    )
    for role in ROLES
)

_OF_ROLES = tuple(
    Setting(key.format(role=role), kind, en.format(role=role), ja.format(role=role))
    for role in ROLES
    for key, kind, en, ja in (
        (
            "limits.attempt.{role}",
            optional(kinds.MINUTES),
            "longest attempt of the {role}",
            "{role} の 1 回の試行の最長時間 (分)",
        ),
        (
            "limits.idle.{role}",
            optional(kinds.MINUTES),
            "longest silence of the {role}",
            "{role} の最長の無応答時間 (分)",
        ),
        (
            "tools.allow.{role}",
            optional(kinds.TOOLS),
            "tools that the {role} may use without asking",
            "{role} が確認なしで使えるツール",
        ),
        ("tools.deny.{role}", optional(kinds.TOOLS), "tools that the {role} may not use", "{role} に使わせないツール"),
    )
)

TABLE: tuple[Setting, ...] = (
    Setting("agent", kinds.NAME, "default agent", "既定のエージェント"),
    Setting(
        "language",
        optional(kinds.choice("en", "ja")),
        "language of messages and dashboard; none: the system's",
        "メッセージとダッシュボードの言語 (none: システムの言語)",
    ),
    Setting("max_parallel", whole(1), "runs at once", "同時に実行する数"),
    *_PERMISSIONS,
    *_ROLES,
    Setting(
        "limits.review_rounds", whole(1), "document review rounds before a pause", "一時停止までの文書レビューの回数"
    ),
    Setting("limits.impl_reruns", whole(0), "re-runs while tasks are open", "未完了タスクがあるときの再実行の上限"),
    Setting("limits.inspection_rounds", whole(1), "inspections before a pause", "一時停止までの検査の回数"),
    Setting("limits.attempt_minutes", kinds.MINUTES, "longest attempt", "1 回の試行の最長時間 (分)"),
    Setting("limits.idle_minutes", kinds.MINUTES, "longest silence of an agent", "エージェントの最長の無応答時間 (分)"),
    Setting(
        "limits.start_minutes",
        kinds.MINUTES,
        "longest silence of an agent before its first word",
        "エージェントが最初の出力をするまでの最長時間 (分)",
    ),
    *_OF_ROLES,
    Setting(
        "limits.usage_wait_minutes",
        kinds.WAIT,
        "longest wait for a usage limit to reset; 0: never wait",
        "利用上限の解除を待つ最長時間 (分、0: 待たない)",
    ),
    Setting("limits.retries", whole(0), "retries of passing failures", "一時的な失敗の再試行の上限"),
    Setting("budget.usd", optional(kinds.MONEY), "US dollars per run", "1 回の実行の予算 (米ドル)"),
    Setting("budget.tokens", optional(whole(0, 10**15)), "tokens per run", "1 回の実行のトークン数の上限"),
    Setting("budget.minutes", optional(kinds.MINUTES), "agent minutes per run", "1 回の実行の時間の上限 (分)"),
    Setting(
        "guard.optional",
        kinds.choice("require", "skip"),
        "whether optional tasks must be ticked",
        "任意タスクの完了を求めるか",
    ),
    Setting(
        "guard.ignore_headings",
        kinds.PATTERNS,
        "headings whose boxes do not count",
        "チェックボックスを数えない見出し",
    ),
    Setting("checks.test", optional(kinds.COMMAND_LINE), "test command", "テストのコマンド"),
    Setting("checks.lint", optional(kinds.COMMAND_LINE), "lint command", "lint のコマンド"),
    Setting("checks.types", optional(kinds.COMMAND_LINE), "type check command", "型検査のコマンド"),
    Setting("review_loop.enabled", kinds.BOOL, "judge every attempt", "すべての試行を判定する"),
    Setting("review_loop.max_iterations", whole(1), "attempts the judge may reject", "判定で差し戻せる試行の上限"),
    Setting(
        "review_loop.retry_delay_ms",
        whole(0),
        "wait before a retry, in milliseconds",
        "再試行までの待ち時間 (ミリ秒)",
    ),
    Setting(
        "review_loop.escalate_on_max",
        kinds.BOOL,
        "ask a person at the limit, instead of ending incomplete",
        "上限に達したら未完了で終えずに人に尋ねる",
    ),
    Setting("review_loop.criteria.mandatory", kinds.CRITERIA, "criteria that must pass", "必須の基準"),
    Setting("review_loop.criteria.optional", kinds.CRITERIA, "further criteria, such as Q7 to Q9", "追加の基準"),
    Setting(
        "review_loop.omission_patterns",
        kinds.PATTERNS,
        "literal texts that show an omission",
        "省略を示す文字列 (正規表現ではありません)",
    ),
    Setting(
        "review_loop.early_termination_patterns",
        kinds.PATTERNS,
        "literal texts that claim an early end",
        "早期終了を宣言する文字列 (正規表現ではありません)",
    ),
    Setting("review_loop.todo_words", kinds.PATTERNS, "words that mark work left", "残作業を示す語"),
    Setting(
        "review_loop.template",
        optional(kinds.WORD),
        "evaluators to add, such as goal_drift_guard",
        "追加する評価テンプレート (例: goal_drift_guard)",
    ),
    Setting(
        "review_loop.judge",
        optional(kinds.WORD),
        "agent or model for a second opinion",
        "第二の意見を求めるエージェントまたはモデル",
    ),
    Setting("review_loop.judge_minutes", kinds.MINUTES, "longest opinion", "第二の意見を待つ最長時間 (分)"),
    Setting(
        "review_loop.flaky_runs",
        whole(1, 20),
        "runs of a test command that fails, at most",
        "失敗したテストを実行する回数の上限",
    ),
    Setting(
        "review_loop.flaky_passes",
        whole(1, 20),
        "passes among them that make it flaky, not failed",
        "不安定とみなし失敗としないために必要な成功の回数",
    ),
    Setting(
        "agents.*.command",
        optional(kinds.ARGV),
        "program and arguments of an agent that is a command",
        "コマンドであるエージェントのプログラムと引数",
    ),
    Setting("agents.*.kind", optional(kinds.NAME), "built-in agent it is based on", "基にする組み込みエージェント"),
    Setting("agents.*.model", optional(kinds.WORD), "model", "モデル"),
    Setting("agents.*.permission_mode", optional(kinds.WORD), "permission mode", "権限モード"),
    Setting(
        "agents.*.takeover",
        optional(kinds.NAME),
        "agent that takes over while a usage limit lasts",
        "利用上限の間に代わりに作業するエージェント",
    ),
    Setting("agents.*.extra_args", kinds.ARGUMENTS, "further arguments", "追加の引数"),
    Setting("agents.*.env", kinds.VARIABLES, "variables to hand on, by name", "引き渡す環境変数の名前"),
    Setting("notify.desktop", kinds.BOOL, "desktop notifications", "デスクトップ通知"),
    Setting("notify.webhooks", kinds.WEBHOOKS, "webhook URLs", "webhook の URL"),
    Setting("notify.apprise", kinds.URLS, "Apprise URLs", "Apprise の URL"),
    Setting("queue.url", optional(kinds.QUEUE), "queue; none: embedded", "キューの URL (none: 内蔵)"),
    Setting(
        "queue.remote",
        optional(kinds.WORD),
        "repository by which runs travel between machines; none: origin",
        "実行をマシン間で受け渡すリポジトリ (none: origin)",
    ),
)

BY_PATH: Mapping[Key, Setting] = {setting.path: setting for setting in TABLE}
ALIASES: Mapping[Key, Key] = {("notify", "webhook"): ("notify", "webhooks")}
SECTIONS = frozenset(setting.path[:depth] for setting in TABLE for depth in range(len(setting.path)))


def pattern(path: Key) -> Key:
    """The path with the name of an agent replaced by ANY."""
    return ("agents", ANY, *path[2:]) if len(path) > 1 and path[0] == "agents" else path


def setting_at(path: Key) -> Setting | None:
    return BY_PATH.get(pattern(ALIASES.get(path, path)))


def is_section(path: Key) -> bool:
    return pattern(path) in SECTIONS


def dotted(path: Key) -> str:
    """A key as messages show it."""
    return kinds.printable(".".join(path))[:120]


def describe(language: str | None = "en") -> tuple[tuple[str, str, str, str], ...]:
    """Key, type, default and description of every setting, for the documentation."""
    return tuple(
        (setting.key, setting.kind.name, _default_text(setting), setting.description(language)) for setting in TABLE
    )


def _default_text(setting: Setting) -> str:
    return "none" if setting.default is None else kinds.shown(setting.default)
