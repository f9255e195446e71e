# SPDX-License-Identifier: Apache-2.0
"""Files of other programs, and what they tell a memory."""
