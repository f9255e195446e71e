# SPDX-License-Identifier: Apache-2.0
"""The memory as a service over HTTP: MCP, GraphQL and the page, for several users, behind one guard."""
