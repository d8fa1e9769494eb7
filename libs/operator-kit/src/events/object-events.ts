export interface EventNote {
  type: 'Normal' | 'Warning';
  /** CamelCase, for machines: `ScaledUp`. */
  reason: string;
  /** What was being done, CamelCase; the reason when absent. */
  action?: string;
  /** For people. */
  note: string;
}

/** Events about one object. Never throws, never waits for the API server. */
export interface ObjectEvents {
  emit(event: EventNote): void;
}
