/** Whom a connection or a request is for. */
export interface ServicePort {
  readonly namespace: string;
  readonly service: string;
  /** The Service's port number, not the pod's. */
  readonly port: number;
}
