import { KubeSim } from '@elasti/kube-sim';
import { eventually } from '../eventually';
import { CONFIG_MAPS, call, configMap } from './kube-sim-wire';

const DEFINITIONS = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
const VESSELS = '/apis/example.com/v1/namespaces/default/vessels';

const vesselDefinition = {
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: 'vessels.example.com' },
  spec: {
    group: 'example.com',
    scope: 'Namespaced',
    names: { plural: 'vessels', kind: 'Vessel' },
    versions: [{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: { type: 'object' } } }],
  },
};

describe('the garbage collection of KubeSim', () => {
  it('takes what a custom resource owned although its definition goes at the same time', async () => {
    const sim = await KubeSim.start();
    await call(sim, 'POST', DEFINITIONS, vesselDefinition);
    const owner = await call(sim, 'POST', VESSELS, { apiVersion: 'example.com/v1', kind: 'Vessel', metadata: { name: 'owner' } });
    const reference = { apiVersion: 'example.com/v1', kind: 'Vessel', name: 'owner', uid: owner.body.metadata.uid };
    await call(sim, 'POST', CONFIG_MAPS, { ...configMap('owned'), metadata: { name: 'owned', ownerReferences: [reference] } });

    await call(sim, 'DELETE', `${DEFINITIONS}/vessels.example.com`);

    await eventually('the dependent is gone', async () =>
      (await call(sim, 'GET', `${CONFIG_MAPS}/owned`)).code === 404 ? true : undefined,
    );
    await sim.stop();
  });
});
