// Lists, page by page, everything that the operator watches, with the bare client and nothing kept.
import { ElastiService } from '@elasti/api';
import { ConfigMap, Deployment, EndpointSlice, KubeClient, Service, StatefulSet } from '@elasti/operator-kit';

const client = await KubeClient.fromKubeConfig({ path: process.argv[2] });
const lists = [
  [ElastiService],
  [Service],
  [Deployment],
  [StatefulSet],
  [EndpointSlice, { labelSelector: 'endpointslice.kubernetes.io/managed-by=elasti' }],
  [EndpointSlice, { labelSelector: 'elasti.truefoundry.com/private-service-of' }],
  [EndpointSlice, { namespace: 'elasti' }],
  [ConfigMap, { namespace: 'elasti' }],
];
let objects = 0;
await Promise.all(
  lists.map(async ([kind, options]) => {
    for await (const object of client.listAll(kind, options)) if (object) objects++;
  }),
);
await client.close();
process.stdout.write(`${objects}\n`);
