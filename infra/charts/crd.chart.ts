import type { CustomResourceManifest } from '@elasti/operator-kit';
import { ApiObject, Chart } from 'cdk8s';
import type { Construct } from 'constructs';
import type { OutputFormat } from './output-format';

export interface CrdProps {
  /** The manifest of the ElastiService CRD. */
  readonly crd: CustomResourceManifest;
  /**
   * What the output is for.
   * @default 'plain'
   */
  readonly format?: OutputFormat;
}

/** The CustomResourceDefinition, from the class that validates: the one thing that every variant needs of the cluster. */
export class CrdChart extends Chart {
  constructor(scope: Construct, id: string, props: CrdProps) {
    super(scope, id, { disableResourceNameHashes: true });
    const { apiVersion, kind, metadata, ...rest } = props.crd;
    // With the CRD go all ElastiServices: an uninstalled Helm release must leave it.
    const annotations = props.format === 'helm' ? { 'helm.sh/resource-policy': 'keep' } : undefined;
    new ApiObject(this, 'crd', { apiVersion, kind, metadata: { name: metadata.name, annotations }, ...rest });
  }
}
