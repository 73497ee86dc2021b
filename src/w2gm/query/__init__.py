"""Answers a model gives: pure functions of its arrays."""
