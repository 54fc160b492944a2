"""Tests in WebKitGTK."""
