#!/usr/bin/env python3
"""peak.py COMMAND... - run a command, its output thrown away, and print the
most memory it held at once, in KiB. Exits with the command's status."""
import resource
import subprocess
import sys

status = subprocess.call(sys.argv[1:], stdout=subprocess.DEVNULL)
print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)
sys.exit(status)
