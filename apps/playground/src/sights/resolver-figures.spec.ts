import { readFigures } from './resolver-figures';

describe('readFigures', () => {
  it('reads what is held and how long wakes took, of one namespace', () => {
    const text = `# HELP elasti_resolver_queued_count Requests that are held
# TYPE elasti_resolver_queued_count gauge
elasti_resolver_queued_count{namespace="demo",source="web"} 2
elasti_resolver_queued_count{namespace="other",source="web"} 9
elasti_resolver_wake_seconds_bucket{namespace="demo",service="api",le="0.5"} 1
elasti_resolver_wake_seconds_sum{namespace="demo",service="api"} 3.25
elasti_resolver_wake_seconds_count{namespace="demo",service="api"} 1
elasti_resolver_open_connections 4
`;

    expect(Object.fromEntries(readFigures(text, 'demo'))).toEqual({
      web: { held: 2, wakes: 0, wakeSeconds: 0 },
      api: { held: 0, wakes: 1, wakeSeconds: 3.25 },
    });
  });
});
