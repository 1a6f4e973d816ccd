# Quaero as its users install it. scripts/run-dockerfile.mjs executes these steps where there is no Docker.
FROM node:22-bookworm AS build
WORKDIR /build
COPY . .
RUN npm ci
RUN npm prune --omit=dev --ignore-scripts
RUN mkdir data

FROM node:22-bookworm-slim
ENV NODE_ENV=production QUAERO_HOME=/data
WORKDIR /quaero
COPY --from=build /build/package.json /build/LICENSE /build/langgraph.json ./
COPY --from=build /build/node_modules ./node_modules
COPY --from=build /build/dist ./dist
COPY --from=build /build/config ./config
COPY --from=build /build/prompts ./prompts
COPY --from=build --chown=node:node /build/data /data
USER node
VOLUME /data
EXPOSE 7710
ENTRYPOINT ["node", "/quaero/dist/cli/main.js"]
CMD ["--help"]
