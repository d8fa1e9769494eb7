/** `plain`: for kubectl; `helm`: the templates of a chart. */
export type OutputFormat = 'plain' | 'helm';
