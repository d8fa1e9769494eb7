import type { KnownService } from '../directory';
import type { OwnAnswer, RequestView, ServicePort } from '../exchange';
import { prefersHtml } from './prefers-html';

/** Sooner than a wake is forgotten that nobody asks for again, and about as long as a person likes to wait. */
const reloadSeconds = 2;

const headers = {
  'Cache-Control': 'no-store',
  'Content-Security-Policy': "default-src 'none'; style-src 'unsafe-inline'",
  'X-Robots-Tag': 'noindex',
};

/** Who is asked for a wake without a request to hold. */
export interface Nudged {
  /** `false` when there is nothing to wake. */
  nudge(target: ServicePort): boolean;
}

/**
 * The page that people see while a Service wakes up, where its ElastiService wants that; it reloads itself until a pod answers.
 *
 * Only browsers that go to a page get it: everyone else is held. Giving it asks for the wake.
 */
export class WaitingPage {
  constructor(private readonly gate: Nudged) {}

  /** To be asked while no pod is ready. `undefined`: the request is to be held. */
  answer({ coldStart }: Pick<KnownService, 'coldStart'>, target: ServicePort, request: RequestView): OwnAnswer | undefined {
    if (coldStart !== 'page' || !isNavigation(request) || !this.gate.nudge(target)) return undefined;
    return {
      status: 503,
      retryAfterSeconds: reloadSeconds,
      contentType: 'text/html; charset=utf-8',
      headers,
      text: pageFor(target.service),
    };
  }
}

/** A browser that goes to a page says so; scripts on a page are better off with the real answer, however late. */
function isNavigation(request: RequestView): boolean {
  if (request.method !== 'GET' && request.method !== 'HEAD') return false;
  if (request.header('upgrade') !== undefined) return false;
  return (request.header('sec-fetch-mode') ?? 'navigate') === 'navigate' && prefersHtml(request.header('accept'));
}

function pageFor(service: string): string {
  const name = escapeHtml(service);
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="refresh" content="${reloadSeconds}">
<title>${name} is waking up</title>
<style>
:root { color-scheme: light dark; font: 1.1rem/1.5 system-ui, sans-serif }
body { min-height: 100vh; margin: 0; display: grid; place-content: center; text-align: center }
i { width: 2.5rem; height: 2.5rem; margin: 0 auto; border: .25rem solid; border-right-color: transparent; border-radius: 50%; animation: turn 1s linear infinite }
@keyframes turn { to { transform: rotate(1turn) } }
@media (prefers-reduced-motion: reduce) { i { animation: none } }
</style>
</head>
<body>
<main role="status">
<i></i>
<p>${name} is waking up. This page reloads by itself.</p>
</main>
</body>
</html>
`;
}

function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (mark) => `&#${mark.charCodeAt(0)};`);
}
