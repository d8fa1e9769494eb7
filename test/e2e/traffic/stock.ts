import type { SleeperOptions } from '../resolver/sleepers';

/** Serves on for a while after it was told to go, and asks kept connections to come anew. */
const mannered: SleeperOptions = { preStopSeconds: 2, env: { LINGER_MS: '2000' } };
/** Goes on for so long that the data plane has heard of its end, and then ends in the middle of everything. */
const sleepsBeforeItExits: SleeperOptions = { preStopSeconds: 5 };
const idleSoon: SleeperOptions = { spec: { triggers: [{ type: 'traffic', metadata: { window: '2s' } }] }, replicas: 1 };
/** What is awake stays so until a hand puts it to sleep, and is ready only when it is told to be. */
const heldBack: SleeperOptions = { preStopSeconds: 2, env: { LINGER_MS: '2000', START: 'when-told' } };

/** The targets of the cases under traffic. */
export const stock: Readonly<Record<string, SleeperOptions>> = {
  mannered: { ...mannered, ...idleSoon },
  'pre-stop-only': { ...sleepsBeforeItExits, ...idleSoon },
  abrupt: idleSoon,
  plain: { replicas: 1, elasti: 'absent' },
  'resolver-deleted': heldBack,
  'resolver-rolled': heldBack,
  'leader-killed': heldBack,
  'no-operator': mannered,
  'outage-asleep': mannered,
  'outage-waking': heldBack,
  'outage-awake': mannered,
  'kubelet-paused': mannered,
  'crash-loop': mannered,
  'pod-killed': {},
  'deleted-awake': { ...mannered, replicas: 1 },
  'deleted-waking': heldBack,
  'deleted-asleep': heldBack,
};
