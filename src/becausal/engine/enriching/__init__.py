# SPDX-License-Identifier: Apache-2.0
"""Having a chat model read memories, after they are kept and indexed: nothing waits for it, nothing depends on it."""
