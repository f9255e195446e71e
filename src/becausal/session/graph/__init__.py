# SPDX-License-Identifier: Apache-2.0
"""The long-term layer: nodes and relations of a session, kept as engrams and links of the one memory."""
