import { ApiObject, Chart } from 'cdk8s';
import { Namespace } from 'cdk8s-plus-28';
import type { Construct } from 'constructs';
import type { Settings } from '../settings/settings';
import type { OutputFormat } from './output-format';

/** Settings, whose defaults are in `SettingsFile` beside each field, and the format. */
export type NamespaceProps = Pick<Settings, 'namespace' | 'createNamespace' | 'podSecurity' | 'watchNamespaces' | 'priorityClass'> & {
  /**
   * What the output is for. Helm makes the namespace of a release itself, and refuses one that a template brings.
   * @default 'plain'
   */
  readonly format?: OutputFormat;
};

/**
 * The namespace, which takes only restricted pods unless the settings want otherwise, and the PriorityClass where one is asked for.
 *
 * A namespace that Elasti looks after is the applications': their pods may not be restricted, and it must not go with Elasti.
 */
export class NamespaceChart extends Chart {
  constructor(scope: Construct, id: string, props: NamespaceProps) {
    super(scope, id, { disableResourceNameHashes: true });
    const { namespace, createNamespace, watchNamespaces, format } = props;
    if (createNamespace && format !== 'helm' && !watchNamespaces.includes(namespace)) this.addNamespace(props);
    if (props.priorityClass.value !== undefined) this.addPriorityClass(props);
  }

  private addNamespace({ namespace, podSecurity }: NamespaceProps): void {
    const labels = {
      ...(podSecurity === 'restricted' && { 'pod-security.kubernetes.io/enforce': podSecurity }),
      'app.kubernetes.io/name': 'elasti',
    };
    new Namespace(this, 'namespace', { metadata: { name: namespace, labels } });
  }

  private addPriorityClass({ priorityClass: { name, value } }: NamespaceProps): void {
    // cdk8s-plus has no PriorityClass.
    new ApiObject(this, 'priority-class', {
      apiVersion: 'scheduling.k8s.io/v1',
      kind: 'PriorityClass',
      metadata: { name },
      value,
      globalDefault: false,
      description: 'Of Elasti: requests of sleeping services are held in its pods',
    });
  }
}
