# SPDX-License-Identifier: Apache-2.0
FROM python:3.13-slim AS build
WORKDIR /src
COPY pyproject.toml README.md LICENSE NOTICE ./
COPY src src
RUN python -m venv /opt/becausal && /opt/becausal/bin/pip install --no-cache-dir .

FROM python:3.13-slim
LABEL org.opencontainers.image.title="becausal" \
      org.opencontainers.image.version="0.1.0" \
      org.opencontainers.image.licenses="Apache-2.0" \
      io.modelcontextprotocol.server.name="io.github.becausal/becausal"
RUN useradd --system --uid 10001 --no-create-home --shell /usr/sbin/nologin becausal \
    && install -d -m 0700 -o becausal -g becausal /data
COPY --from=build /opt/becausal /opt/becausal
ENV PATH=/opt/becausal/bin:$PATH STORAGE_LOCATION=/data ACCESSING_USER=default PYTHONUNBUFFERED=1
USER becausal
VOLUME /data
EXPOSE 3000
HEALTHCHECK --interval=30s --timeout=5s --start-period=20s \
  CMD ["python", "-c", "import urllib.request; urllib.request.urlopen('http://127.0.0.1:3000/health', timeout=4)"]
ENTRYPOINT ["becausal"]
CMD ["serve", "--host", "0.0.0.0", "--port", "3000"]
