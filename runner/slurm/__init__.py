"""Sweeps on a SLURM cluster: packs of points as tasks of job arrays, known again by the files that they leave."""
