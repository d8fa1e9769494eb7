import { demoServices } from './manifests';

export interface WelcomeFacts {
  readonly apiUrl: string;
  readonly kubeconfig: string;
  readonly urls: ReadonlyMap<string, string>;
}

/** What this is, where everything is, and what to do next. */
export function formatWelcome({ apiUrl, kubeconfig, urls }: WelcomeFacts): string {
  const list = demoServices.map(({ name, what }) => `  ${name.padEnd(5)} ${urls.get(name) ?? ''}/  ${what}`);
  return `
Elasti runs on a SIMULATOR, not on a cluster: a Kubernetes API inside this process, at ${apiUrl}.
Its pods, the operator and the resolver among them, are processes of this machine. Everything is gone when it stops.

${list.join('\n')}

All three are asleep: none has a process. In another terminal, send one a request, which is held until its pod is up:

  curl ${urls.get('web') ?? ''}/

and look around as in any cluster:

  kubectl --kubeconfig ${kubeconfig} get elastiservices,deployments,pods -A

Half a minute after its last request a service sleeps again. Ctrl-C ends it all.
`;
}
