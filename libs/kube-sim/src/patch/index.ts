export { jsonPatch } from './json-patch';
export { mergePatch } from './merge-patch';
export { PatchError } from './patch.errors';
export { strategicMergePatch } from './strategic-merge';
