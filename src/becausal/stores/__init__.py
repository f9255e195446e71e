# SPDX-License-Identifier: Apache-2.0
"""The backends a memory can be kept in. Nothing here is imported before the one that is asked for."""
