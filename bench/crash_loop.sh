#!/bin/sh
# The story of the crash bench as one writes it by hand: agents one after the other, a marker file for each that is done.
# Arguments: the agent, the operation at which this loop kills itself (0: none), the file that counts its operations.
agent=$1 kill=$2 tally=$3 count=0
at() {
    count=$((count + 1))
    echo "$1" >> "$tally"
    [ "$count" != "$kill" ] || kill -9 $$
}
step() {
    export SHIAGE_ROLE="$1" SHIAGE_PHASE="$2" SHIAGE_ROUND="$3"
    name=$1-$2-$3
    [ ! -e "done/$name" ] || return 0
    at "before the start"
    (sh "$agent" > "$name.log"; echo "$name" >> ends) &
    at "after the start"
    wait $!
    at "after the end"
    : > "done/$name"
    at "after the marker"
}
mkdir -p done
for phase in requirements design tasks; do step author $phase 0; done
round=1
while step reviewer document-review $round; step responder document-review $round; do
    ! grep -q '^| Critical | 3 | 0 |' document-review-$round-reply.md || break
    round=$((round + 1))
done
try=1
while grep -q '\[ \]' tasks.md; do
    step implementer impl $try
    try=$((try + 1))
done
round=1
while step inspector inspection $round; do
    ! grep -q 'Judgment: GO' inspection-$round.md || break
    step fixer inspection $round
    round=$((round + 1))
done
