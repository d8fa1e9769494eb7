import { type IncomingMessage } from 'node:http';
import { parse as parseYaml } from 'yaml';
import { isObject, type JsonObject } from '../store';
import { type ApiError, badRequest, tooLarge, unsupportedMediaType } from './api.errors';

const MOST_BYTES = 3 * 1024 * 1024;
const OBJECT_MEDIA_TYPES = ['application/json', 'application/yaml', 'application/vnd.kubernetes.protobuf'];

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
export function parseObject(text: string, mediaType: string, kind: string): JsonObject {
  if (mediaType !== 'application/json' && mediaType !== 'application/yaml') throw unsupportedMediaType(OBJECT_MEDIA_TYPES);
  const refuse = (why: string): ApiError =>
    badRequest(
      `the object provided is unrecognized (must be of type ${kind}): couldn't get version/kind; json parse error: ${why} (${excerpt(text)})`,
    );
  let value: unknown;
  try {
    value = mediaType === 'application/yaml' ? parseYamlBody(text) : JSON.parse(text);
  } catch (error) {
    throw refuse(error instanceof Error ? error.message : String(error));
  }
  if (!isObject(value)) throw refuse('the body is not an object');
  return value;
}

const excerpt = (text: string): string => (text === '' ? '<empty>' : text.slice(0, 1024));

/** Of a key that is written twice the last value counts, as in JSON. */
export const parseYamlBody = (text: string): unknown => parseYaml(text, { uniqueKeys: false });

export function parseText(text: string, parse: (text: string) => unknown): unknown {
  try {
    return parse(text);
  } catch (error) {
    throw badRequest(`error decoding the body: ${error instanceof Error ? error.message : String(error)}`);
  }
}
