"""The extraction rules, one a file; bench.grading.extract holds their order."""
