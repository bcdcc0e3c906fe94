"""The vocabulary: frozen values and the error tree. Knows nothing of the rest."""
