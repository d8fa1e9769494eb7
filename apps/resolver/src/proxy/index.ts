export { Forwarder } from './forwarder';
export type { ForwarderParts } from './forwarder';
export { ForwardingListener } from './forwarding-listener';
export type { ListenAt, PortIdentity } from './forwarding-listener';
export type { Link, LinkOwner } from './link';
export type { H2Taker } from './proxy-context';
export { DEFAULT_PROXY_SETTINGS } from './proxy-settings';
export type { ProxySettings } from './proxy-settings';
