"""The official conformance suite, run against the fetcher as a client under test."""
