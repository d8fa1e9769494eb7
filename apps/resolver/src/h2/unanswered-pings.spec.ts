import { writePing } from './frame';
import { UnansweredPings } from './unanswered-pings';

describe('UnansweredPings', () => {
  const answers = (...payloads: string[]): string => payloads.map((payload) => writePing(payload, 'answer')).join('');

  it('answers once what the pod has not, in the order it was asked', () => {
    const pings = new UnansweredPings();
    for (const payload of ['ping---1', 'ping---2', 'ping---3']) pings.ask(payload);
    pings.hear('ping---2');
    pings.hear('of-no-one');

    expect([pings.answerAll(), pings.answerAll()]).toEqual([answers('ping---1', 'ping---3'), '']);
  });

  it('remembers the last few only, whatever a client asks of a pod that answers none', () => {
    const pings = new UnansweredPings();
    const payloads = Array.from({ length: 1_000 }, (_, at) => String(at).padStart(8, '0'));
    for (const payload of payloads) pings.ask(payload);

    expect(pings.answerAll()).toBe(answers(...payloads.slice(-8)));
  });
});
