"""Shared by all benchmarks."""
