"""Reads and writes a spec folder: strict parsing, atomic writing, one reader per dialect."""
