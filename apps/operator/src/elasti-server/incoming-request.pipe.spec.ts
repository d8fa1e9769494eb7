import { HttpProblem } from '@elasti/operator-kit/program';
import { IncomingRequestPipe } from './incoming-request.pipe';

function problemOf(body: unknown): HttpProblem['body'] | undefined {
  try {
    new IncomingRequestPipe().transform(typeof body === 'string' ? body : JSON.stringify(body));
    return undefined;
  } catch (error) {
    return error instanceof HttpProblem ? error.body : undefined;
  }
}

describe('IncomingRequestPipe', () => {
  it('reads the fields of the contract and no others', () => {
    const request = new IncomingRequestPipe().transform('{"count":1,"svc":"web","namespace":"shop","__proto__":{"a":1},"more":2}');

    expect(request).toEqual({ count: 1, svc: 'web', namespace: 'shop' });
  });

  it.each(['Web', '-web', 'web.shop', 'a/../b', 'x'.repeat(64), '', null, 5, ['web'], { name: 'web' }])('takes %p for no name', (svc) => {
    expect(problemOf({ svc, namespace: 'shop' })).toMatchObject({
      fields: [{ field: 'svc', problem: expect.stringContaining('svc must') }],
    });
  });

  it.each([-1, 1.5, 'one', [], true])('takes %p for no count', (count) => {
    expect(problemOf({ count, svc: 'web', namespace: 'shop' })).toMatchObject({ fields: [{ field: 'count' }] });
  });

  it('shows what a body looks like when there is none', () => {
    expect(problemOf('')).toEqual({ message: 'the body must be JSON such as {"count":1,"svc":"web","namespace":"shop"}' });
  });
});
