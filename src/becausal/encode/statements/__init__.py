# SPDX-License-Identifier: Apache-2.0
"""How a text is read for what it plainly states, as subject, predicate and object: `finding` is the way in."""
