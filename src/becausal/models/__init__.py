# SPDX-License-Identifier: Apache-2.0
"""Embedders: what turns text into vectors, and what stands around it."""
