import { Capability, type ContainerSecurityContextProps, SeccompProfileType } from 'cdk8s-plus-28';

/** Nobody in particular, as both of KubeElasti's programs run. */
const user = 65532;

/** What the restricted Pod Security standard asks of a container, and a root file system that cannot be written. */
export const restrictedContainer: ContainerSecurityContextProps = {
  user,
  group: user,
  ensureNonRoot: true,
  readOnlyRootFilesystem: true,
  allowPrivilegeEscalation: false,
  capabilities: { drop: [Capability.ALL] },
  seccompProfile: { type: SeccompProfileType.RUNTIME_DEFAULT },
};

export const restrictedPod = { ensureNonRoot: true, user, group: user };
