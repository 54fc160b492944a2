"""Modules shared by all benchmarks."""
