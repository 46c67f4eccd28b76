#!/usr/bin/env python3
"""Check every line under sources/: `soul validate` for any Python and any folder."""

import os.path
import sys

sys.path.insert(0, os.path.realpath(f"{os.path.realpath(__file__)}/.."))
sys.path.insert(0, os.path.realpath(f"{os.path.realpath(__file__)}/../../src"))

from agent_soul.bootstrap import run

run(__file__, "validate")
