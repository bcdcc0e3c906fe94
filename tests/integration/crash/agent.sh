#!/bin/sh
# Plays a story of two review rounds, a re-run of the implementation and one NOGO. Three roles leave a process behind.
set -eu
put() { printf '%s' "$2" > "$SHIAGE_SPEC_DIR/$1"; echo "wrote $1"; }
case $SHIAGE_ROLE in reviewer | implementer | fixer) setsid sleep 60 & ;; esac
case $SHIAGE_ROLE in
author)
    case $SHIAGE_PHASE in
    requirements) text='1. WHEN the user greets, THE system SHALL greet back.' ;;
    design) text='One function, `greet`.' ;;
    tasks) text='- [ ] 1. Write greet
- [ ] 2. Write its test
- [ ] 3. Describe it' ;;
    esac
    put "$SHIAGE_PHASE.md" "# The $SHIAGE_PHASE

$text
" ;;
reviewer) put "document-review-$SHIAGE_ROUND.md" "# Review $SHIAGE_ROUND

### C1: a point
" ;;
responder)
    fix=0
    [ "$SHIAGE_ROUND" != 1 ] || fix=2
    put "document-review-$SHIAGE_ROUND-reply.md" "# Reply

## Response Summary

| Severity | Issues | Fix Required | No Fix Needed | Needs Discussion |
|---|---|---|---|---|
| Critical | 3 | $fix | $((3 - fix)) | 0 |
" ;;
implementer)
    printf 'def greet(name: str) -> str:\n    return f"hello {name}"\n' > "$SHIAGE_PROJECT/greet.py"
    all='s/\[ \]/[x]/' two='s/\[ \] \([12]\)/[x] \1/' tasks=$SHIAGE_SPEC_DIR/tasks.md
    if grep -q '\[x\]' "$tasks"; then sed -i "$all" "$tasks"; else sed -i "$two" "$tasks"; fi
    echo "wrote greet.py" ;;
inspector)
    verdict=GO
    [ "$SHIAGE_ROUND" != 1 ] || verdict=NOGO
    put "inspection-$SHIAGE_ROUND.md" "# Inspection

- Judgment: $verdict
" ;;
fixer)
    echo 'FIXED = True' > "$SHIAGE_PROJECT/fixed.py"
    echo "repaired what the report names in fixed.py" ;;
esac
