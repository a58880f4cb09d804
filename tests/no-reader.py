#!/usr/bin/env python3
"""no-reader.py default|ignore COMMAND... - run a command whose standard output
is a pipe that nobody reads any more, with SIGPIPE as said. Prints its status:
an exit status, or minus the signal that ended it."""
import os
import signal
import subprocess
import sys

how = {"default": signal.SIG_DFL, "ignore": signal.SIG_IGN}[sys.argv[1]]
read_end, write_end = os.pipe()
os.close(read_end)
print(subprocess.call(sys.argv[2:], stdout=write_end, restore_signals=False,
                      preexec_fn=lambda: signal.signal(signal.SIGPIPE, how)))
