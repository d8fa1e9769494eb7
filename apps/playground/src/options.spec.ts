import { type ClusterOptions, formatCommand, otherPort, parseOptions, type SimulatorOptions } from './options';

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

    expect(options).toEqual({ on: 'cluster', kubeconfig: 'here', context: 'dev', port: 6464, network: 'addresses', logs: 'shown' });
  });

  it('takes the network beside a cluster too: the resolver listens on this machine all the same', () => {
    expect(parseOptions(['--kubeconfig', 'here', '--network', 'ports'], 'linux')).toMatchObject({ on: 'cluster', network: 'ports' });
  });

  it('tells all mistakes at once, and how it is used', () => {
    const attempt = () => parseOptions(['--port', '70000', '--network', 'wifi', '--context', 'dev'], 'linux');

    expect(attempt).toThrow(/--port must be[^]*--network must be[^]*--context needs --kubeconfig[^]*npm start --/);
  });

  it('names an option that there is not', () => {
    expect(() => parseOptions(['--prot', '1'], 'linux')).toThrow(/--prot/);
  });
});

describe('formatCommand', () => {
  const parse = (...args: string[]) => parseOptions(args, 'linux') as SimulatorOptions | ClusterOptions;

  it.each([
    ['npm start -- --port 6474', parse(), { port: 6474 }],
    ['npm start -- --port 6464', parse('--port', '80'), { port: 6464 }],
    ['npm start -- --network ports', parse(), { network: 'ports' }],
    ['npm start -- --port 6500 --network ports --logs', parse('--port', '6490', '--network', 'ports', '--logs'), { port: 6500 }],
    [
      "npm start -- --kubeconfig 'my file' --context dev --network ports",
      parse('--kubeconfig', 'my file', '--context', 'dev'),
      { network: 'ports' },
    ],
  ] as const)('keeps what was asked for: %s', (command, options, change) => {
    expect(formatCommand(options, change)).toBe(command);
  });

  it('is a command line that is taken', () => {
    const advised = formatCommand(parse('--kubeconfig', 'here'), { port: otherPort(6464), network: 'ports' });

    expect(parse(...advised.split(' ').slice(3))).toMatchObject({ on: 'cluster', kubeconfig: 'here', port: 6474, network: 'ports' });
  });
});

describe('otherPort', () => {
  it.each([80, 6464, 19_985])('is one that may be asked for and is of another network: instead of %s', (port) => {
    expect(() => parseOptions(['--port', String(otherPort(port))], 'linux')).not.toThrow();
    expect(otherPort(port) % 32).not.toBe(port % 32);
  });
});
