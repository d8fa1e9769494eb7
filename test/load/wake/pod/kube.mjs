// The least of a client: the pod's own service account, a list, a watch that begins again when it ends, and a patch.
import { readFileSync } from 'node:fs';
import https from 'node:https';
import { createInterface } from 'node:readline';
import { nowMs } from './clock.mjs';

const account = '/var/run/secrets/kubernetes.io/serviceaccount';
const ca = readFileSync(`${account}/ca.crt`);
const { KUBERNETES_SERVICE_HOST: host, KUBERNETES_SERVICE_PORT: port } = process.env;
export const namespace = readFileSync(`${account}/namespace`, 'utf8');

/** Calls `see(object, atMs)` for everything that is there and for every change, in order; a deleted object has `gone`. */
export async function watch(path, labelSelector, see) {
  const query = `labelSelector=${encodeURIComponent(labelSelector)}`;
  const { items, metadata } = await json(await call(`${path}?${query}`));
  for (const item of items) see(item, nowMs());
  void follow(path, query, metadata.resourceVersion, see);
}

async function follow(path, query, resourceVersion, see) {
  let last = resourceVersion;
  for (;;) {
    const response = await call(`${path}?${query}&watch=1&resourceVersion=${last}`);
    for await (const line of createInterface({ input: response })) {
      const atMs = nowMs();
      const { type, object } = JSON.parse(line);
      if (type === 'ERROR') throw new Error(`the watch of ${path} was refused: ${object.message}`);
      last = object.metadata.resourceVersion;
      see(type === 'DELETED' ? { ...object, gone: true } : object, atMs);
    }
  }
}

export async function scale(deployment, replicas) {
  const body = JSON.stringify({ spec: { replicas } });
  await json(await call(`/apis/apps/v1/namespaces/${namespace}/deployments/${deployment}/scale`, 'PATCH', body));
}

function call(path, method = 'GET', body) {
  const headers = { authorization: `Bearer ${readFileSync(`${account}/token`, 'utf8')}`, 'content-type': 'application/merge-patch+json' };
  const { promise, resolve, reject } = Promise.withResolvers();
  https.request({ host, port, ca, path, method, headers }, resolve).on('error', reject).end(body);
  return promise;
}

async function json(response) {
  const pieces = [];
  for await (const piece of response) pieces.push(piece);
  const text = Buffer.concat(pieces).toString();
  if (response.statusCode >= 300) throw new Error(`${response.statusCode} ${text}`);
  return JSON.parse(text);
}
