"""`python -m shiage` is `shiage`."""

from shiage.cli.entry import main

main()
