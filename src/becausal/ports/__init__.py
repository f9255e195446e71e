# SPDX-License-Identifier: Apache-2.0
"""What the engine needs from the outside: small protocols, named for a capability."""
