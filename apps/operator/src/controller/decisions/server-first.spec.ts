import { aService } from '../objects.fixture';
import { decideTcpPorts } from './server-first';

const annotation = 'elasti.truefoundry.com/protocol';
const ports = [
  { name: 'http', port: 80 },
  { name: 'mail', port: 25 },
  { name: 'dns', port: 53, protocol: 'UDP' },
];

function decide(text?: string, wish: { ports?: { name?: string; port: number; appProtocol?: string; protocol?: string }[] } = {}) {
  const service = aService('web', { ports: wish.ports ?? ports });
  if (text !== undefined) service.metadata.annotations = { [annotation]: text };
  const { ports: found, remarks } = decideTcpPorts(service);
  return { greeting: found.filter(({ speaksFirst }) => speaksFirst === 'server').map(({ port }) => port), found, remarks };
}

describe('decideTcpPorts', () => {
  it('finds every TCP port and no other, and lets the client speak first unless told otherwise', () => {
    expect(decide().found).toEqual([{ port: 80 }, { port: 25 }]);
  });

  it.each(['mysql', 'smtp', 'ftp', 'ssh', 'imap', 'pop3', 'MySQL', 'elasti.truefoundry.com/server-first'])(
    'knows that the server speaks first with the appProtocol %s',
    (appProtocol) => {
      expect(decide(undefined, { ports: [{ port: 1, appProtocol }, { port: 2 }] }).greeting).toEqual([1]);
    },
  );

  it.each(['http', 'kubernetes.io/h2c', 'postgresql', 'imaps', 'constructor', ''])('does not think so of %j', (appProtocol) => {
    expect(decide(undefined, { ports: [{ port: 1, appProtocol }] }).greeting).toEqual([]);
  });

  it.each([
    ['tcp-server-first', [80, 25]],
    ['25=tcp-server-first', [25]],
    ['mail=tcp-server-first', [25]],
    [' mail=tcp-server-first , 80=tcp-server-first ', [80, 25]],
  ])('reads the annotation %j', (text, greeting) => {
    expect(decide(text)).toMatchObject({ greeting, remarks: [] });
  });

  it('adds what the annotation says to what appProtocol says', () => {
    const both = [
      { port: 25, appProtocol: 'smtp' },
      { port: 5432, name: 'sql' },
    ];

    expect(decide('sql=tcp-server-first', { ports: both }).greeting).toEqual([25, 5432]);
  });

  it.each([
    ['', '""'],
    ['tcp', '"tcp"'],
    ['tcp-server-first,', '""'],
    ['25=tcp', '"25=tcp"'],
    ['a=25=tcp-server-first', '"a=25=tcp-server-first"'],
    ['26=tcp-server-first', 'no TCP port "26"'],
    ['dns=tcp-server-first', 'no TCP port "dns"'],
    ['25=tcp-server-first,80=udp', '"80=udp"'],
    [`\n${'x'.repeat(1_000)}`, `"${'x'.repeat(60)}"`],
  ])('takes the annotation %j for none, and says so', (text, problem) => {
    const { greeting, remarks } = decide(text);

    expect(greeting).toEqual([]);
    expect(remarks).toMatchObject([{ reason: 'ProtocolNotUnderstood' }]);
    expect(remarks[0]?.message).toContain(annotation);
    expect(remarks[0]?.message).toContain(problem);
  });
});
