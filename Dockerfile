# The operator and the command line in one image that holds Python, its libraries and Proxar alone:
# no shell, no package manager. docs/guides/image.md tells how to build it and what it promises.
#
# BASE is any image of Debian or its like with Python 3.11 to 3.14, the module venv and certificates.
# A tag and no digest: a digest would keep its security updates out until someone moves it. Where
# builds must repeat, give one: --build-arg BASE=python:3.14-slim@sha256:...
ARG BASE=python:3.14-slim

# Wheels to install from instead of an index: docker build --build-context wheels=FOLDER .
# Something is in it, since not every builder mounts an empty stage.
FROM scratch AS wheels
COPY LICENSE /

FROM ${BASE} AS build
ENV PIP_DISABLE_PIP_VERSION_CHECK=1 PIP_NO_CACHE_DIR=1 PIP_NO_INPUT=1
WORKDIR /src
COPY requirements/operator.txt requirements/image.txt requirements/
# Dependencies before the source: they change less often. --python has pip fill a venv that holds no
# pip; the tools of the build have a venv of their own, which stays behind.
RUN --mount=type=bind,from=wheels,target=/wheels \
    if ls /wheels/*.whl > /dev/null 2>&1; then export PIP_NO_INDEX=1 PIP_FIND_LINKS=/wheels; fi \
 && python3 -m venv --without-pip /opt/proxar \
 && python3 -m venv /opt/build \
 && /opt/build/bin/pip install --only-binary :all: --require-hashes -r requirements/image.txt \
 && /opt/build/bin/pip --python /opt/proxar/bin/python install --no-compile --only-binary :all: \
      --require-hashes --report /opt/dependencies.json -r requirements/operator.txt
COPY pyproject.toml README.md LICENSE ./
COPY operator/ operator/
RUN /opt/build/bin/pip wheel --no-deps --no-build-isolation --wheel-dir /opt/wheel . \
 && /opt/build/bin/pip --python /opt/proxar/bin/python install --no-compile --no-deps --no-index \
      --report /opt/proxar.json /opt/wheel/*.whl
COPY image/ image/
RUN mkdir /image \
 && python3 -m image.assemble /opt/proxar /image \
 && /opt/build/bin/python -m image.sbom /image /opt/dependencies.json /opt/proxar.json

FROM scratch
LABEL org.opencontainers.image.title="Proxar" \
      org.opencontainers.image.description="Notices when the tools of an MCP server change" \
      org.opencontainers.image.licenses="Apache-2.0"
COPY --from=build /image /
ENV PATH=/opt/proxar/bin LANG=C.UTF-8 PYTHONDONTWRITEBYTECODE=1 PYTHONUNBUFFERED=1
USER 65532:65532
WORKDIR /tmp
EXPOSE 8080 8081
ENTRYPOINT ["proxar"]
CMD ["operator"]
