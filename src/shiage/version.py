"""The version, where the build reads it and `shiage --version` finds it without importing anything."""

VERSION = "0.1.0"
