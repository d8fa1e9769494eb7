describe('early stop', () => {
  it('listens for the signals from its import on, until somebody else does', () => {
    const counts = () => [process.listenerCount('SIGTERM'), process.listenerCount('SIGINT')];
    const [terms = 0, interrupts = 0] = counts();

    const { endEarlyStop } = jest.requireActual<{ endEarlyStop: () => void }>('./early-stop');
    const during = counts();
    endEarlyStop();

    expect(during).toEqual([terms + 1, interrupts + 1]);
    expect(counts()).toEqual([terms, interrupts]);
  });
});
