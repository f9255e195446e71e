# SPDX-License-Identifier: Apache-2.0
"""A memory in one SQLite file: records, links, text index and vectors change in the same transaction."""
