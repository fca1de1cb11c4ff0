"""Tasks that need thinking: eleven of reasoning-gym's, one a file. Source: OptimalThinkingBench, underthinking side."""
