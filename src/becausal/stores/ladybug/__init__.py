# SPDX-License-Identifier: Apache-2.0
"""The LadybugDB backend: an embedded graph database in one file, open in one process at a time."""
