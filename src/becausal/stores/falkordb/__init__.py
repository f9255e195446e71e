# SPDX-License-Identifier: Apache-2.0
"""A memory in FalkorDB, a graph database inside a Redis server."""
