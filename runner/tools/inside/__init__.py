"""What runs in a sandbox: process 1, which forks a process a call. Standard library alone; nothing else is there."""
