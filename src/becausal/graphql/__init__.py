# SPDX-License-Identifier: Apache-2.0
"""The memory as a GraphQL schema: what the tools and the command line know, asked for field by field."""
