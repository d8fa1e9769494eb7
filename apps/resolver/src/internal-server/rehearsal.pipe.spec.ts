import { HttpProblem } from '@elasti/operator-kit/program';
import { RehearsalPipe } from './rehearsal.pipe';

const subject = { namespace: 'shop', service: 'web', routes: [{ port: 80, resolverPort: 20_000 }] };

function problemOf(body: unknown): { status: number; message: string } {
  try {
    new RehearsalPipe().transform(typeof body === 'string' ? body : JSON.stringify(body));
  } catch (error) {
    if (error instanceof HttpProblem) return { status: error.getStatus(), message: error.body.message };
  }
  throw new Error('it was taken');
}

describe('RehearsalPipe', () => {
  it('takes what the operator sends', () => {
    expect(new RehearsalPipe().transform(JSON.stringify({ services: [subject] }))).toEqual({ services: [subject] });
  });

  it.each([
    ['not JSON', '{', 'the body must be JSON'],
    ['nothing', '', 'the body must be JSON'],
    ['no list', { services: {} }, 'services must be a list'],
    ['no names', { services: [{ ...subject, namespace: '../x' }] }, 'services[0].namespace must be'],
    ['no routes', { services: [{ ...subject, routes: 7 }] }, 'services[0].routes must be a list'],
    ['no ports', { services: [{ ...subject, routes: [null] }] }, 'services[0].routes[0].port must be a port'],
    ['a port out of range', { services: [{ ...subject, routes: [{ port: 80, resolverPort: 70_000 }] }] }, 'routes[0].resolverPort must be'],
  ])('refuses %s, and names the field', (_, body, message) => {
    expect(problemOf(body)).toEqual({ status: 400, message: expect.stringContaining(message) });
  });

  it('refuses more services than may be asked for at once', () => {
    expect(problemOf({ services: Array.from({ length: 501 }, () => subject) }).status).toBe(413);
  });
});
