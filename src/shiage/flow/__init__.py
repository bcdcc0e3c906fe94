"""Decides what follows from what happened: tables, gates, one machine. No clock, file or chance in here."""
