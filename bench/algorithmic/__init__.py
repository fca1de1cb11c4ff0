"""Planning tasks with many right answers, each checked by simulation; difficulty is their size."""
