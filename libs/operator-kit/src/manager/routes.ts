import type { Registry } from 'prom-client';
import { type HealthChecks, formatReport } from './health-checks';
import type { Route } from './http-listener';

/** `/healthz`, `/healthz/<check>`, with `?verbose` and `?exclude=<check>`, as Kubernetes' own components answer. */
export function healthRoute(checks: HealthChecks): Route {
  const root = `/${checks.endpoint}`;
  return async ({ pathname, searchParams }) => {
    if (pathname !== root && !pathname.startsWith(`${root}/`)) return undefined;

    const only = pathname.slice(root.length + 1) || undefined;
    const report = await checks.report({ only, exclude: searchParams.getAll('exclude') });
    if (!report) return undefined;

    const body = formatReport(report, searchParams.has('verbose') || !report.healthy ? 'verbose' : 'brief');
    return { status: report.healthy ? 200 : 500, contentType: 'text/plain; charset=utf-8', body };
  };
}

export function metricsRoute(registry: Registry): Route {
  return async ({ pathname }) =>
    pathname === '/metrics' ? { status: 200, contentType: registry.contentType, body: await registry.metrics() } : undefined;
}
