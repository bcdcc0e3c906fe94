"""Runs one foreign agent to its end: process supervision, one adapter module per agent, one table."""
