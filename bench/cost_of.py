#!/usr/bin/env python3
"""Processor seconds and peak MB of one command, as JSON: usage bench/cost_of.py COMMAND WORDS..."""
import json
import resource
import subprocess
import sys

subprocess.run(sys.argv[1:], check=True, capture_output=True)
used = resource.getrusage(resource.RUSAGE_CHILDREN)
print(json.dumps({"seconds": used.ru_utime + used.ru_stime, "mb": used.ru_maxrss / 1000}))
