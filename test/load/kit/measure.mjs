// Runs one side of one comparison in this process and prints one line of JSON. Needs --expose-gc.
//   measure.mjs <informer|gets|events> <kit|client-node> <kubeconfig file>
import { monitorEventLoopDelay } from 'node:perf_hooks';

const [task, side, kubeconfig] = process.argv.slice(2);
const tasks = {
  informer: { kit: informerKit, 'client-node': informerClientNode },
  gets: { kit: getsKit, 'client-node': getsClientNode },
  events: { kit: eventsKit },
};
const result = await tasks[task][side]();
process.stdout.write(`${JSON.stringify(result)}\n`);
process.exit(0);

async function connectKit() {
  const kit = await import('@elasti/operator-kit');
  const metrics = new kit.KitMetrics();
  const client = await kit.KubeClient.fromKubeConfig({ path: kubeconfig, metrics });
  return { kit, metrics, client };
}

async function connectClientNode() {
  const k8s = await import('@kubernetes/client-node');
  const config = new k8s.KubeConfig();
  config.loadFromFile(kubeconfig);
  return { k8s, config, api: config.makeApiClient(k8s.CoreV1Api) };
}

/** From the first request until everything is readable from memory. */
async function measureSync(start) {
  globalThis.gc();
  const heapBefore = process.memoryUsage().heapUsed;
  const delay = monitorEventLoopDelay({ resolution: 1 });
  delay.enable();
  const began = performance.now();
  const held = await start();
  const syncedMs = performance.now() - began;
  // One more turn, so that a stall which ends with the sync is still seen.
  await new Promise((resolve) => setTimeout(resolve, 20));
  delay.disable();
  const peakRss = process.resourceUsage().maxRSS * 1024;
  globalThis.gc();
  const retainedHeap = process.memoryUsage().heapUsed - heapBefore;
  return { syncedMs, retainedHeap, peakRss, stallMs: delay.max / 1e6, objects: held() };
}

async function informerKit() {
  const { kit, client, metrics } = await connectKit();
  const logger = kit.silentLogger;
  return measureSync(async () => {
    const caches = new kit.SharedCache({ reader: client, clock: kit.systemClock, logger, metrics });
    const pods = caches.acquire(kit.Pod);
    await pods.synced(new AbortController().signal);
    return () => pods.list().length;
  });
}

async function informerClientNode() {
  const { k8s, config, api } = await connectClientNode();
  return measureSync(async () => {
    const informer = k8s.makeInformer(config, '/api/v1/pods', () => api.listPodForAllNamespaces());
    await informer.start();
    return () => informer.list().length;
  });
}

async function getsKit() {
  const { kit, client } = await connectKit();
  return sequentialGets((name) => client.get(kit.Namespace, { name }));
}

async function getsClientNode() {
  const { api } = await connectClientNode();
  return sequentialGets((name) => api.readNamespace({ name }));
}

async function sequentialGets(get) {
  const began = performance.now();
  for (let number = 0; number < 500; number++) await get(`shop-${number % 20}`);
  return { getsMs: performance.now() - began };
}

/** Applies watch events while the driver makes them; says where the heap stands after each tenth. */
async function eventsKit() {
  const { kit, client, metrics } = await connectKit();
  const caches = new kit.SharedCache({ reader: client, clock: kit.systemClock, logger: kit.silentLogger, metrics });
  const pods = caches.acquire(kit.Pod);
  await pods.synced(new AbortController().signal);
  const total = 100_000;
  const heaps = [];
  let seen = 0;
  const all = new Promise((resolve) => {
    pods.subscribe((event) => {
      if (event.type !== 'updated') return;
      seen += 1;
      if (seen % (total / 10) === 0) {
        globalThis.gc();
        heaps.push(process.memoryUsage().heapUsed);
      }
      if (seen === total) resolve();
    });
  });
  process.stderr.write('ready\n');
  await all;
  return { heaps, seen };
}
