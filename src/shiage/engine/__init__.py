"""Does what the core decides: drives one run, performs its actions, gathers its evidence."""
