# SPDX-License-Identifier: Apache-2.0
"""MAGMA: intent, seeds, parallel views, merge with multi-view boost, linearised context, answer."""
