"""What holds for every test."""

from hypothesis import settings

#: How long an example takes says how busy the machine is; a test that hangs is ended by its own limit.
settings.register_profile("unhurried", deadline=None)
settings.load_profile("unhurried")
