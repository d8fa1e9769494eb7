import { openApiV2, openApiV3, openApiV3Index } from '../openapi';
import type { ServedKind } from '../openapi';
import type { JsonObject } from '../store';
import type { ResourceRegistry } from './resource-registry';

/**
 * The documents that describe what is served, for clients that check before they send.
 *
 * They are long, so each is made on first use and kept until a definition comes or goes.
 */
export class OpenApiHandler {
  private madeFor = -1;
  private readonly made = new Map<string, JsonObject>();

  constructor(private readonly registry: ResourceRegistry) {}

  /** The document at a path below `/openapi`, such as `v3/apis/apps/v1`. */
  document(path: string): JsonObject | undefined {
    if (this.madeFor !== this.registry.revision) this.made.clear();
    this.madeFor = this.registry.revision;
    const known = this.made.get(path);
    if (known) return known;
    const document = this.make(path);
    if (document) this.made.set(path, document);
    return document;
  }

  private make(path: string): JsonObject | undefined {
    if (path === 'v2') return openApiV2(this.kinds());
    if (path === 'v3') return openApiV3Index(this.kinds());
    const [, groupVersion] = /^v3\/apis?\/(.+)$/.exec(path) ?? [];
    if (groupVersion === undefined) return undefined;
    const [version = '', group = ''] = groupVersion.split('/').reverse();
    return this.registry.hasVersion(group, version) ? openApiV3(groupVersion, this.kinds()) : undefined;
  }

  private kinds(): ServedKind[] {
    return this.registry.all().flatMap(({ group, kind, plural, namespaced, versions }) =>
      versions.map(({ name, openApiSchema }) => ({
        group,
        version: name,
        kind,
        plural,
        namespaced,
        ...(openApiSchema ? { schema: openApiSchema } : {}),
      })),
    );
  }
}
