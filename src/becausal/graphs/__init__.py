# SPDX-License-Identifier: Apache-2.0
"""The four graphs: concepts, entities, the time line and causes, with the links across them."""
