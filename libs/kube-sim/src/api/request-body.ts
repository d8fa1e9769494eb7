import { type IncomingMessage } from 'node:http';
import { parse as parseYaml } from 'yaml';
import { isObject, type JsonObject } from '../store';
import { badRequest, tooLarge, unsupportedMediaType } from './api.errors';

const MOST_BYTES = 3 * 1024 * 1024;
const OBJECT_MEDIA_TYPES = ['application/json', 'application/yaml', 'application/vnd.kubernetes.protobuf', 'application/cbor'];

/** The whole body as text. @throws ApiError 413 over 3 MiB. */
export async function readBody(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (bytes <= MOST_BYTES) chunks.push(chunk);
    else chunks.length = 0;
  }
  if (bytes > MOST_BYTES) throw tooLarge();
  return Buffer.concat(chunks).toString('utf8');
}

export const mediaTypeOf = (request: IncomingMessage): string =>
  (request.headers['content-type'] ?? 'application/json').split(';', 1)[0]?.trim().toLowerCase() ?? '';

/** An object in JSON or YAML. @throws ApiError 400 or 415. */
export function parseObject(text: string, mediaType: string): JsonObject {
  if (mediaType !== 'application/json' && mediaType !== 'application/yaml') throw unsupportedMediaType(OBJECT_MEDIA_TYPES);
  const value = mediaType === 'application/yaml' ? parseText(text, parseYaml) : parseText(text, JSON.parse);
  if (!isObject(value)) throw badRequest("couldn't get version/kind; json parse error: the body is not an object");
  return value;
}

export function parseText(text: string, parse: (text: string) => unknown): unknown {
  try {
    return parse(text);
  } catch (error) {
    throw badRequest(`error decoding the body: ${error instanceof Error ? error.message : String(error)}`);
  }
}
