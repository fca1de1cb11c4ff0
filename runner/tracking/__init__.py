"""Where a run is shown beside its files: Weights & Biases, or nowhere."""
