# The operator and the command line in one image. BASE takes any image with the same Python in both stages, by digest where that matters.
ARG BASE=python:3.14-slim

FROM ${BASE} AS build
ENV PIP_DISABLE_PIP_VERSION_CHECK=1 PIP_NO_CACHE_DIR=1 PIP_NO_INPUT=1
WORKDIR /src
RUN python -m venv --without-pip /opt/proxar
# Dependencies before the source: they change less often. --python has pip fill a venv that holds no pip.
COPY requirements/operator.txt requirements/
RUN python -m pip --python /opt/proxar/bin/python install --no-compile --only-binary :all: \
      --require-hashes -r requirements/operator.txt
COPY pyproject.toml README.md LICENSE ./
COPY operator/ operator/
# The build backend comes by its pin in pyproject.toml; nothing of it is in the final image.
RUN python -m pip wheel --no-deps --wheel-dir /wheels . \
 && python -m pip --python /opt/proxar/bin/python install --no-compile --no-deps --no-index /wheels/*.whl
# Compiled once here, since the root file system is read-only at run time. By hash of the source, so
# that times of files cannot make it stale.
RUN /opt/proxar/bin/python -m compileall -q -j 0 --invalidation-mode unchecked-hash /opt/proxar/lib

FROM ${BASE}
LABEL org.opencontainers.image.title="Proxar" \
      org.opencontainers.image.description="Notices when the tools of an MCP server change" \
      org.opencontainers.image.licenses="Apache-2.0"
COPY --from=build /opt/proxar /opt/proxar
ENV PATH=/opt/proxar/bin:$PATH PYTHONDONTWRITEBYTECODE=1 PYTHONUNBUFFERED=1
USER 65532:65532
WORKDIR /tmp
EXPOSE 8080 8081
ENTRYPOINT ["proxar"]
CMD ["operator"]
