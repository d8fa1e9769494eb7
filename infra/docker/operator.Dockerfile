# Elasti's operator. From the root of the repository: docker build -f infra/docker/operator.Dockerfile -t elasti-operator .
ARG NODE_VERSION=24

FROM node:${NODE_VERSION}-bookworm-slim AS build
WORKDIR /src
COPY . .
RUN --mount=type=cache,target=/root/.npm npm ci
RUN npm run images -- operator

# No shell and no package manager: node, the libraries it is linked to, certificates and time zones, and the program.
FROM gcr.io/distroless/cc-debian12
COPY --from=build /usr/local/bin/node /usr/local/bin/node
COPY --from=build /src/infra/dist/images/operator/app /app
USER 65532:65532
ENTRYPOINT ["node", "--max-semi-space-size=8", "--heap-growing-percent=30", "/app/main.js"]
