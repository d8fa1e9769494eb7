import { parseOptions } from './options';

describe('parseOptions', () => {
  it('runs the simulator on a port of its own where nothing is said', () => {
    expect(parseOptions([], 'linux')).toEqual({ on: 'simulator', port: 6464, network: 'addresses', logs: 'hidden' });
  });

  it('gives pods ports instead of addresses on macOS', () => {
    expect(parseOptions([], 'darwin')).toMatchObject({ network: 'ports' });
    expect(() => parseOptions(['--network', 'addresses'], 'darwin')).toThrow(/--network must be ports on macOS/);
  });

  it('goes to a cluster when it is given one', () => {
    const options = parseOptions(['--kubeconfig', 'here', '--context', 'dev', '--logs'], 'linux');

    expect(options).toEqual({ on: 'cluster', kubeconfig: 'here', context: 'dev', port: 6464, logs: 'shown' });
  });

  it('tells all mistakes at once, and how it is used', () => {
    const attempt = () => parseOptions(['--port', '70000', '--network', 'wifi', '--context', 'dev'], 'linux');

    expect(attempt).toThrow(/--port must be[^]*--network must be[^]*--context needs --kubeconfig[^]*npm start --/);
  });

  it('names an option that there is not', () => {
    expect(() => parseOptions(['--prot', '1'], 'linux')).toThrow(/--prot/);
  });
});
