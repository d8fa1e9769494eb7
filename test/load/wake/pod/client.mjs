// The client that is held: asks the Service when it is told to, and tells when the answer began.
import { firstByte } from './first-byte.mjs';

process.on('message', ({ host, port }) => {
  firstByte(host, port).then(
    (timing) => process.send(timing),
    (error) => process.send({ error: error.message }),
  );
});
