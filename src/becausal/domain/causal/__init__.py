# SPDX-License-Identifier: Apache-2.0
"""How a text is read for what led to what.

`text` is the way in: it cuts the text into clauses (`tokens`, `clauses`, `verbs`), finds where one is said to
bring about another (`patterns`, `connectives`, `building`), follows what points back to an earlier sentence
(`references`, `resolving`) and drops what is not a claim (`guards`). `frames` knows lists, sections and
findings, `document` what only a whole text shows. `purposes` and `degrees` read what stands behind "to".
`identity` says when two descriptions are of one event.
"""
