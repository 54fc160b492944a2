"""Tests in Firefox ESR."""
