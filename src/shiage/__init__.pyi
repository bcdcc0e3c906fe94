from shiage.domain.verdict import Verdict as Verdict
from shiage.judge import check as check
