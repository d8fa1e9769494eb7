import { endEarlyStop } from './early-stop';
import 'reflect-metadata';
import { JsonLogger } from '@elasti/operator-kit';
import { EnvironmentError, reportErrors } from '@elasti/operator-kit/program';
import { parseOperatorConfig } from './operator.config';
import { startOperator } from './start-operator';

async function main(): Promise<void> {
  const config = parseOperatorConfig(process.env);
  const reported = await reportErrors(new JsonLogger(), config.sentry);
  const app = await startOperator(config, reported.logger);
  app.enableShutdownHooks();
  endEarlyStop();
  process.once('beforeExit', () => void reported.close());
}

main().catch((error: unknown) => {
  // A mistake in the settings is for whoever wrote them: no stack.
  process.stderr.write(`${error instanceof EnvironmentError ? error.message : String((error as Error).stack)}\n`);
  process.exit(1);
});
