"""Lends these tests the project of the acceptance tests, and the harness beside the crash tests."""

import sys
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE / "crash"))

found = spec_from_file_location("acceptance_project", HERE.parent / "acceptance" / "conftest.py")
assert found and found.loader
acceptance = module_from_spec(found)
sys.modules[found.name] = acceptance
found.loader.exec_module(acceptance)

project, until = acceptance.project, acceptance.until
