import { type ServerResponse } from 'node:http';
import { stringify as yamlOf } from 'yaml';
import { type JsonObject, type StoredObject, asString } from '../store';
import { type Target } from './api-request';
import type { ApiError } from './api.errors';
import { toServed } from './conversion';
import { type ListResult } from './object-lister';
import { type Representation, itemText, objectText, partialMetadata } from './representation';
import { groupVersion } from './resource-type';
import type { TableMaker } from './table-maker';

const CHUNK_CHARACTERS = 256 * 1024;

/** Writes answers in the form the client asked for. */
export class Responder {
  constructor(
    private readonly response: ServerResponse,
    private readonly representation: Representation,
    private readonly tableOf: TableMaker,
  ) {}

  warn(warnings: readonly string[]): void {
    for (const warning of warnings) this.response.appendHeader('Warning', `299 - ${JSON.stringify(warning)}`);
  }

  object(code: number, target: Target, stored: StoredObject): void {
    if (this.representation.format === 'yaml') this.value(code, toServed(target.type, target.version.name, stored.object));
    else this.text(code, this.encode(target)(stored));
  }

  /** How single objects and the objects of watch events are written. */
  encode(target: Target): (stored: StoredObject) => string {
    const { type, version } = target;
    let sentColumns = false;
    switch (this.representation.shape) {
      case 'full':
        return (stored) => objectText(type, version, stored);
      case 'metadata':
        return (stored) => JSON.stringify(partialMetadata(stored.object, this.representation.groupVersion));
      case 'table':
        return (stored) => {
          const table = this.tableOf(target, [stored], { resourceVersion: asString(stored.metadata.resourceVersion) });
          // The columns are told once; the rows of later events belong to the same table.
          if (sentColumns) table.columnDefinitions = null;
          sentColumns = true;
          return JSON.stringify(table);
        };
    }
  }

  async list(target: Target, result: ListResult): Promise<void> {
    const { type, version } = target;
    const metadata: JsonObject = { resourceVersion: String(result.resourceVersion) };
    if (result.continueToken !== undefined) metadata.continue = result.continueToken;
    if (result.remainingItemCount !== undefined) metadata.remainingItemCount = result.remainingItemCount;
    const { shape, format } = this.representation;
    if (shape === 'table') {
      this.value(200, this.tableOf(target, result.items, metadata));
      return;
    }
    if (shape === 'metadata') {
      const items = result.items.map((item) => partialMetadata(item.object, this.representation.groupVersion));
      this.value(200, { kind: 'PartialObjectMetadataList', apiVersion: this.representation.groupVersion, metadata, items });
      return;
    }
    // Custom resources say that nothing follows; built-in ones say nothing.
    if (type.custom) metadata.continue ??= '';
    const head = { kind: type.listKind, apiVersion: groupVersion(type.group, version.name), metadata };
    if (format === 'yaml') this.value(200, { ...head, items: result.items.map((item) => toServed(type, version.name, item.object)) });
    else await this.streamList(JSON.stringify(head), result.items, (item) => itemText(type, version, item));
  }

  value(code: number, value: JsonObject): void {
    if (this.representation.format === 'yaml') this.send(code, 'application/yaml', yamlOf(value));
    else this.text(code, JSON.stringify(value));
  }

  error(error: ApiError): void {
    const seconds = error.details?.retryAfterSeconds;
    if (seconds !== undefined && (error.code === 429 || error.code >= 500)) this.response.setHeader('Retry-After', String(seconds));
    this.value(error.code, error.toStatus());
  }

  private text(code: number, json: string): void {
    this.send(code, 'application/json', `${json}\n`);
  }

  private send(code: number, contentType: string, text: string): void {
    this.response.writeHead(code, { 'Content-Type': contentType, 'Content-Length': Buffer.byteLength(text) });
    this.response.end(text);
  }

  /** A long list goes out piece by piece, so that neither its whole text nor a long stall is needed. */
  private async streamList(head: string, items: readonly StoredObject[], textOf: (item: StoredObject) => string): Promise<void> {
    this.response.writeHead(200, { 'Content-Type': 'application/json' });
    let pending = `${head.slice(0, -1)},"items":[`;
    for (const [index, item] of items.entries()) {
      pending += index === 0 ? textOf(item) : `,${textOf(item)}`;
      if (pending.length < CHUNK_CHARACTERS) continue;
      if (this.response.destroyed) return;
      if (!this.response.write(pending)) await drained(this.response);
      pending = '';
    }
    this.response.end(`${pending}]}\n`);
  }
}

function drained(response: ServerResponse): Promise<void> {
  return new Promise((resolve) => {
    const done = (): void => {
      response.off('drain', done);
      response.off('close', done);
      resolve();
    };
    response.on('drain', done);
    response.on('close', done);
  });
}
