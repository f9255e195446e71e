# SPDX-License-Identifier: Apache-2.0
"""The settings of model services, as rows of the table."""

from __future__ import annotations

from .settings_rows import Row, works

_ADDRESS = "an http or https address without user name, query or fragment"

MODEL_ROWS: tuple[Row, ...] = (
    works(
        "LLM_BASE_URL",
        "llm_base_url",
        "smriti",
        "Address of a chat service with an interface like OpenAI's: Ollama, LM Studio, vLLM, llama.cpp and so on. A "
        "chat model is used once this, LLM_MODEL or LLM_API_KEY is set; what memories say is then sent to it.",
        default="https://api.openai.com/v1",
        allowed=_ADDRESS,
    ),
    works(
        "LLM_API_KEY",
        "llm_api_key",
        "smriti",
        "Key of the chat service. It is never logged or shown.",
        default="`OPENAI_API_KEY`, if the service is OpenAI's",
        allowed="text",
    ),
    works(
        "LLM_MODEL",
        "llm_model",
        "smriti polyg",
        "Name of the chat model.",
        default="gpt-4o-mini",
        allowed="1 to 200 printable characters",
    ),
    works(
        "CLASSIFIER_MAX_TOKENS",
        "classifier_max_tokens",
        "polyg",
        "Most tokens the model may write when it sorts a question.",
        default="1000",
        allowed="a whole number from 16 to 100000",
    ),
    works(
        "SYNTHESIZER_MAX_TOKENS",
        "synthesizer_max_tokens",
        "polyg",
        "Most tokens the model may write when it answers a question.",
        default="2000",
        allowed="a whole number from 16 to 100000",
    ),
    works(
        "POLYG_MAX_RETRIES",
        "max_retries",
        "polyg",
        "How often a call to a model service is tried again after 429, 5xx or a lost connection.",
        default="3",
        allowed="a whole number from 0 to 10",
    ),
    works(
        "BECAUSAL_ENRICH",
        "enrich",
        "becausal",
        "Whether the chat model reads memories in the background once they are indexed (`auto`), or only when "
        "`becausal enrich` asks it to (`off`).",
        default="auto",
        choices=("auto", "off"),
    ),
    works(
        "BECAUSAL_LLM_TIMEOUT",
        "llm_timeout",
        "becausal",
        "Seconds that a call to a model service may take in the background, all attempts together.",
        default="60",
        allowed="a number from 1 to 3600",
    ),
    works(
        "BECAUSAL_ASK_TIMEOUT",
        "ask_timeout",
        "becausal",
        "Seconds that a question waits for model services in all, chat and embeddings; it is then answered without.",
        default="20",
        allowed="a number from 1 to 3600",
    ),
    works(
        "BECAUSAL_LLM_CALLS_PER_HOUR",
        "llm_calls_per_hour",
        "becausal",
        "How many calls of the chat model a memory may make in an hour; 0: any number. `status` shows what was used.",
        default="1000",
        allowed="a whole number from 0 to 1000000000",
    ),
    works(
        "BECAUSAL_LLM_TOKENS_PER_HOUR",
        "llm_tokens_per_hour",
        "becausal",
        "How many tokens, read and written, a memory may use in an hour; 0: any number.",
        default="1000000",
        allowed="a whole number from 0 to 1000000000",
    ),
    works(
        "BECAUSAL_LLM_TOKENS_PER_MEMORY",
        "llm_tokens_per_memory",
        "becausal",
        "How many tokens reading one memory may take; of a longer text the beginning is read.",
        default="6000",
        allowed="a whole number from 2000 to 1000000",
    ),
    works(
        "EMBEDDING_BASE_URL",
        "embedding_base_url",
        "smriti",
        "Address of an embedding service with an interface like OpenAI's. It is used once this, EMBEDDING_MODEL or "
        "EMBEDDING_API_KEY is set, unless BECAUSAL_EMBEDDER says otherwise; what memories say is then sent to it.",
        default="https://api.openai.com/v1",
        allowed=_ADDRESS,
    ),
    works(
        "EMBEDDING_API_KEY",
        "embedding_api_key",
        "smriti",
        "Key of the embedding service. It is never logged or shown.",
        default="`LLM_API_KEY`, if the chat service is at the same host; `OPENAI_API_KEY`, if it is OpenAI's",
        allowed="text",
    ),
    works(
        "EMBEDDING_MODEL",
        "embedding_model",
        "smriti polyg",
        "Name of the embedding model. After a change, `becausal reindex` makes all vectors anew.",
        default="text-embedding-3-small",
        allowed="1 to 200 printable characters",
    ),
    works(
        "OPENAI_API_KEY",
        "openai_api_key",
        "polyg",
        "Key for OpenAI's services where they have no key of their own. On its own it turns nothing on, since it is "
        "often set for other programs: nothing is sent anywhere, and `status` says so.",
        allowed="text",
    ),
)
