/** A panel before it has its place. */
export interface Panel {
  readonly title: string;
  readonly description?: string;
  readonly kind: 'timeseries' | 'stat';
  /** As Grafana calls it: `s`, `bytes`, `reqps`. */
  readonly unit?: string;
  readonly queries: readonly Query[];
}

export interface Query {
  readonly expr: string;
  /** What the line is called: `{{service}}`. */
  readonly legend: string;
}

export interface Row {
  readonly title: string;
  readonly panels: readonly Panel[];
}

/** A choice at the head of the dashboard. */
export interface Variable {
  readonly name: string;
  readonly label: string;
  /** A query of Grafana for the values: `label_values(metric, label)`. */
  readonly query: string;
}

export interface DashboardOptions {
  readonly uid: string;
  readonly title: string;
  readonly variables: readonly Variable[];
  readonly rows: readonly Row[];
}

const datasource = { type: 'prometheus', uid: '${datasource}' };
const columns = 3;
const panelWidth = 24 / columns;
const panelHeight = 8;

/** The JSON model that Grafana imports. Panels flow from left to right, three in a line, each row under its heading. */
export function buildDashboard({ uid, title, variables, rows }: DashboardOptions): object {
  return {
    uid,
    title,
    tags: ['elasti'],
    schemaVersion: 39,
    editable: true,
    refresh: '30s',
    time: { from: 'now-6h', to: 'now' },
    templating: {
      list: [{ name: 'datasource', label: 'Data source', type: 'datasource', query: 'prometheus' }, ...variables.map(buildVariable)],
    },
    panels: layOut(rows),
  };
}

function buildVariable({ name, label, query }: Variable): object {
  return { name, label, type: 'query', datasource, query, refresh: 2, includeAll: true, multi: true, allValue: '.*', sort: 1 };
}

function layOut(rows: readonly Row[]): object[] {
  const placed: object[] = [];
  let y = 0;
  for (const { title, panels } of rows) {
    placed.push({ id: placed.length + 1, type: 'row', title, collapsed: false, panels: [], gridPos: { x: 0, y, w: 24, h: 1 } });
    y++;
    for (const [index, panel] of panels.entries()) {
      const gridPos = {
        x: (index % columns) * panelWidth,
        y: y + Math.floor(index / columns) * panelHeight,
        w: panelWidth,
        h: panelHeight,
      };
      placed.push({ id: placed.length + 1, ...buildPanel(panel), gridPos });
    }
    y += Math.ceil(panels.length / columns) * panelHeight;
  }
  return placed;
}

function buildPanel({ title, description, kind, unit, queries }: Panel): object {
  return {
    type: kind,
    title,
    description,
    datasource,
    fieldConfig: { defaults: { unit: unit ?? 'short', min: 0 }, overrides: [] },
    options: kind === 'stat' ? { reduceOptions: { calcs: ['lastNotNull'] } } : { tooltip: { mode: 'multi', sort: 'desc' } },
    targets: queries.map(({ expr, legend }, index) => ({
      refId: String.fromCharCode('A'.charCodeAt(0) + index),
      datasource,
      expr,
      legendFormat: legend,
    })),
  };
}
