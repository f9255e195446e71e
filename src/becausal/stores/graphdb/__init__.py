# SPDX-License-Identifier: Apache-2.0
"""What the adapters of the graph databases share."""
