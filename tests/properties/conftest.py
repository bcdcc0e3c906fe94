"""Lets the property tests import the generator, the promises and the planted faults beside them."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
