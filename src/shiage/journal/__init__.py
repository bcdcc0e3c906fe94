"""What happened in a run: one line of JSON per entry, chained by hashes, durable before its effect.

entry     the values, and their one line of JSON
codec     domain events to drafts and back
masking   secrets out of whatever is written
durable   the few operations that must survive a power cut
head      the newest line, remembered outside the file
tail      where the good part of a file ends
writing   Journal: the only writer
reading   read at once, or follow while somebody writes
checking  verify: was the history changed afterwards?
"""
