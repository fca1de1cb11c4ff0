"""Makes a set of questions with their answers: written by one model, checked by another, decided by a judge."""
