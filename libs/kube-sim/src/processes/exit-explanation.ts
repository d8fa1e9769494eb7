/** What a status says of a container that failed: its last words and, where they tell of the machine, the way out. */
export function explainExit(lastWords: string, address: string): string {
  const hint = hintFor(lastWords, address);
  return hint === undefined ? lastWords : `${lastWords}${hint}\n`;
}

function hintFor(lastWords: string, address: string): string | undefined {
  if (/EADDRINUSE|address already in use/i.test(lastWords))
    return `kube-sim: the pods of one machine share its ports: listen on the pod's own address, ${address} (fieldRef status.podIP), and on the ports in PORT_<containerPort>`;
  if (/EACCES|permission denied/i.test(lastWords) && /listen|bind/i.test(lastWords))
    return 'kube-sim: ports below 1024 need privileges on this machine: take a containerPort above';
  if (/EADDRNOTAVAIL|assign requested address/i.test(lastWords))
    return `kube-sim: this machine does not have the address ${address}: use the network "ports"`;
  return undefined;
}
