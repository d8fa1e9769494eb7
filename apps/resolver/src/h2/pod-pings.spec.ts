import { PodPings } from './pod-pings';

describe('PodPings', () => {
  it('lets the answers to lost pods go nowhere, and those to the next pod through', () => {
    const pings = new PodPings();
    pings.ask();
    pings.ask();
    const first = pings.hear();
    pings.losePod();
    pings.ask();

    expect([first, pings.hear(), pings.hear()]).toEqual(['the pod', 'a lost pod', 'the pod']);
  });

  it('lets no answer through that nobody asked for', () => {
    expect(new PodPings().hear()).toBe('nobody');
  });
});
