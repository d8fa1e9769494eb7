# Elasti's resolver. From the root of the repository: docker build -f infra/docker/resolver.Dockerfile -t elasti-resolver .
ARG NODE_VERSION=24

FROM node:${NODE_VERSION}-bookworm-slim AS build
WORKDIR /src
COPY . .
RUN --mount=type=cache,target=/root/.npm npm ci
RUN npm run images -- resolver

# No shell and no package manager: node, the libraries it is linked to, certificates and time zones, and the program.
FROM gcr.io/distroless/cc-debian12
COPY --from=build /usr/local/bin/node /usr/local/bin/node
COPY --from=build /src/infra/dist/images/resolver/app /app
USER 65532:65532
ENTRYPOINT ["node", "--min-semi-space-size=16", "--initial-heap-size=256", "/app/main.js"]
