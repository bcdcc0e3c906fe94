"""What the system knows of processes: one module of functions, chosen once for this system."""

import sys

if sys.platform == "linux":
    from shiage.agents import proc_linux as system
else:
    from shiage.agents import proc_portable as system

__all__ = ["system"]
