import { endEarlyStop } from './early-stop';
import 'reflect-metadata';
import { JsonLogger, runUntilSignal, untilAborted } from '@elasti/operator-kit';
import { EnvironmentError, reportErrors } from '@elasti/operator-kit/program';
import { parseResolverConfig } from './resolver.config';
import { startResolver } from './start-resolver';

async function main(): Promise<void> {
  const config = parseResolverConfig(process.env);
  const reported = await reportErrors(new JsonLogger(), config.sentry);
  const app = await startResolver(config, reported.logger);
  // The first signal begins an orderly stop, the second ends the process at once.
  await runUntilSignal(process, async (stopping) => {
    endEarlyStop();
    await untilAborted(new Promise<never>(() => undefined), stopping).catch(() => undefined);
    await app.close();
  });
  await reported.close();
}

main().catch((error: unknown) => {
  // A mistake in the settings is for whoever wrote them: no stack.
  process.stderr.write(`${error instanceof EnvironmentError ? error.message : String((error as Error).stack)}\n`);
  process.exit(1);
});
