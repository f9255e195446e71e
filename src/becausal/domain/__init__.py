# SPDX-License-Identifier: Apache-2.0
"""What a memory is made of, and how text, time and scores are read. No I/O."""
