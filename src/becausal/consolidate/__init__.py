# SPDX-License-Identifier: Apache-2.0
"""What a memory does for itself from time to time, step by step."""
