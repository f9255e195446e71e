# SPDX-License-Identifier: Apache-2.0
"""Models behind an HTTP interface like OpenAI's: OpenAI itself, Ollama, LM Studio, vLLM, llama.cpp and many more."""
