"""Tools that a sample may call, and the pool that runs them beside the engine."""
