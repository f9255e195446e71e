# SPDX-License-Identifier: Apache-2.0
"""How a text is read for when: `text` finds the expressions, `resolve` makes intervals of them."""
