# SPDX-License-Identifier: Apache-2.0
"""The sentence encoder all-MiniLM-L6-v2, run on this machine."""
