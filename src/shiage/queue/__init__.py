"""Keeps tickets durable: who may work on what, until when. It is never asked what happened: the journal knows that."""
