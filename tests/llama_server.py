# SPDX-License-Identifier: Apache-2.0
"""llama.cpp's own server over a model file, as a program: `python llama_server.py MODEL PORT`, until its input ends."""

from __future__ import annotations

import sys


def main(model: str, port: int) -> None:
    import xllamacpp

    params = xllamacpp.CommonParams()
    params.model.path = model
    params.hostnames = ["127.0.0.1"]
    params.port = port
    params.n_ctx = 8192
    params.n_parallel = 1
    # Its threads wait for each other spinning: with two, a busy machine takes ten times as long for an answer.
    params.cpuparams.n_threads = params.cpuparams_batch.n_threads = 1
    server = xllamacpp.Server(params)
    sys.stdout.write(f"ready {server.listening_address}\n")
    sys.stdout.flush()
    sys.stdin.read()


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]))
