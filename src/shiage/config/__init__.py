"""Parses settings once into frozen values that know where they came from.

What every command needs is here; `config show` and the docs take `shiage.config.rows` and `.table`, and whoever is
about to run something takes `shiage.config.trust`. Each start of the program would pay for them otherwise.
"""

from shiage.config.entries import Origin
from shiage.config.files import Layer
from shiage.config.load import Loaded, load
from shiage.config.project import find_project, user_state_dir
from shiage.config.settings import AgentConfig, Settings

__all__ = ["AgentConfig", "Layer", "Loaded", "Origin", "Settings", "find_project", "load", "user_state_dir"]
