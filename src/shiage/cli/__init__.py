"""The command line: parse, call one use case in `app`, show, return an exit code."""
