import { type JsonObject, asArray, asObject, asString } from '../store';

/** The pod asks for something that is not there; it is started again later, when it may be. */
export class ContainerConfigError extends Error {
  override readonly name = 'ContainerConfigError';
}

export type Variables = Readonly<Record<string, string>>;

/** Where the values come from that an environment only refers to. */
export interface EnvSources {
  /** A field of the pod, as in metadata.name; undefined for one that cannot be had. */
  field(path: string): string | undefined;
  /** What a ConfigMap or Secret of the pod's namespace holds; undefined when there is none. */
  keys(kind: 'ConfigMap' | 'Secret', name: string): Variables | undefined;
}

/**
 * The environment of a container: what it says itself, over what its sources hold, over what is given.
 *
 * `$(NAME)` in a value stands for a variable that is given or came before. @throws ContainerConfigError, naming all that is lacking.
 */
export function buildContainerEnv(container: JsonObject, given: Variables, sources: EnvSources): Record<string, string> {
  const env: Record<string, string> = { ...given };
  const lacking: string[] = [];
  asArray(container.envFrom)
    .map(asObject)
    .forEach((entry, index) => {
      const [kind, reference] =
        entry.configMapRef === undefined
          ? (['Secret', asObject(entry.secretRef)] as const)
          : (['ConfigMap', asObject(entry.configMapRef)] as const);
      const found = sources.keys(kind, asString(reference.name));
      if (!found && reference.optional !== true) lacking.push(`envFrom[${index}]: there is no ${kind} "${asString(reference.name)}"`);
      for (const [key, value] of Object.entries(found ?? {})) env[asString(entry.prefix) + key] = value;
    });
  asArray(container.env)
    .map(asObject)
    .forEach((entry, index) => {
      const name = asString(entry.name);
      if (entry.valueFrom === undefined) {
        env[name] = expandReferences(asString(entry.value), env);
        return;
      }
      const { value, problem } = valueFrom(asObject(entry.valueFrom), sources);
      if (problem !== undefined) lacking.push(`env[${index}] (${name}): ${problem}`);
      if (value !== undefined) env[name] = value;
    });
  if (lacking.length > 0) throw new ContainerConfigError(lacking.join('; '));
  return env;
}

function valueFrom(source: JsonObject, sources: EnvSources): { value?: string; problem?: string } {
  if (source.fieldRef !== undefined) {
    const path = asString(asObject(source.fieldRef).fieldPath);
    const value = sources.field(path);
    return value === undefined ? { problem: `the field ${path} cannot be had` } : { value };
  }
  for (const [field, kind] of [
    ['configMapKeyRef', 'ConfigMap'],
    ['secretKeyRef', 'Secret'],
  ] as const) {
    if (source[field] === undefined) continue;
    const { name, key, optional } = asObject(source[field]);
    const value = sources.keys(kind, asString(name))?.[asString(key)];
    if (value !== undefined || optional === true) return { value };
    return { problem: `there is no key "${asString(key)}" in the ${kind} "${asString(name)}"` };
  }
  return { problem: `valueFrom.${Object.keys(source).join(', ')} is not available` };
}

/** `$(NAME)` stands for a variable that is there; `$$` for a dollar sign. */
export function expandReferences(text: string, env: Variables): string {
  return text.replace(/\$(\$|\(([^()]*)\))/g, (whole, kind: string, name: string | undefined) =>
    kind === '$' ? '$' : name !== undefined && Object.hasOwn(env, name) ? (env[name] ?? whole) : whole,
  );
}
