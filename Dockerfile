# docker build -t msjax .                              CPU
# docker build -t msjax:cuda13 --target cuda13 .       NVIDIA GPU: `docker run --gpus all`, driver 580 or newer
#
# 1.2 GB and 5.3 GB. On a machine without a GPU the second runs on the CPU, and JAX says why at each start; it is silent with
# `-e JAX_PLATFORMS=cpu`.
#
# docker run --rm msjax demo
# docker run --rm -v "$PWD:/work" msjax run train.py
#
# Everything comes from the package index; the CUDA libraries too, so that the base needs none.

FROM python:3.13-slim AS base
RUN useradd --create-home msjax && install --directory --owner=msjax --group=msjax /work
COPY pyproject.toml README.md LICENSE /src/
COPY msjax /src/msjax
COPY examples /src/examples
COPY docs/*.md /src/docs/
WORKDIR /work
ENTRYPOINT ["msjax"]
CMD ["--help"]

FROM base AS cuda13
RUN pip install --no-cache-dir "/src[examples,cuda13]"
USER msjax

FROM base AS cpu
RUN pip install --no-cache-dir "/src[examples]"
USER msjax
