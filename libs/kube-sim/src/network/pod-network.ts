/**
 * How pods that are processes of this machine are told apart: each by a loopback address of its own, or all at
 * 127.0.0.1 by ports of their own, where the machine has no other address.
 */
export type PodNetwork = 'addresses' | 'ports';

/** Whether EndpointSlices may name loopback addresses, which a real server refuses. */
export type LoopbackEndpoints = 'allowed' | 'refused';
