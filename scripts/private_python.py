#!/usr/bin/env python3
"""Print the private Python of this clone that also has the dependency groups given as arguments."""

import os.path
import sys

sys.path.insert(0, os.path.realpath(f"{os.path.realpath(__file__)}/.."))
sys.path.insert(0, os.path.realpath(f"{os.path.realpath(__file__)}/../../src"))

from agent_soul.bootstrap import print_python

print_python(__file__, *sys.argv[1:])
