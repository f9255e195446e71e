# SPDX-License-Identifier: Apache-2.0
"""The Neo4j store: a server, or a cluster, that many users and machines share."""
