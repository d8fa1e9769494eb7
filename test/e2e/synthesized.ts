import { execFile } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { Deployment, KubeObject } from '@elasti/operator-kit';
import { parseAllDocuments } from 'yaml';

/** Where `npm run synth` writes the manifests of Elasti, in the order in which they are applied. */
export const elastiFolder = join(__dirname, '../../infra/manifests/elasti');

const program = join(__dirname, '../../infra/dist/main.js');

/** Writes the manifests of a settings file to a folder, as `cdk8s synth` does. */
export async function synthesizeTo(folder: string, settingsFile: string): Promise<void> {
  const env = { ...process.env, CDK8S_OUTDIR: folder, ELASTI_SETTINGS: settingsFile };
  await promisify(execFile)(process.execPath, [program], { env });
}

/** All objects in a folder of synthesized manifests, in order; without those of the charts that are not wanted. */
export function synthesizedObjects(folder = elastiFolder, { without = [] }: { readonly without?: readonly string[] } = {}): KubeObject[] {
  const isWanted = (file: string) => !without.some((chart) => file.endsWith(`-${chart}.k8s.yaml`));
  const texts = readdirSync(folder)
    .filter(isWanted)
    .sort()
    .map((file) => readFileSync(join(folder, file), 'utf8'));
  return texts.flatMap((text) => parseAllDocuments(text)).flatMap((document) => (document.toJS() as KubeObject | null) ?? []);
}

/** Gives the program of a Deployment these variables, whatever it had under their names. */
export function setVariables(deployment: Deployment, variables: Readonly<Record<string, string>>): void {
  const container = deployment.spec?.template.spec?.containers[0];
  if (!container) throw new Error('the Deployment has no container');
  const others = (container.env ?? []).filter(({ name }) => !Object.hasOwn(variables, name));
  container.env = [...others, ...Object.entries(variables).map(([name, value]) => ({ name, value }))];
}
