"""Browsers that are driven from outside, without Playwright."""
