# SPDX-License-Identifier: Apache-2.0
"""Places that keep copies of a memory."""
