import 'reflect-metadata';
import { OperatorConfigError, parseOperatorConfig } from './operator.config';
import { startOperator } from './start-operator';

async function main(): Promise<void> {
  const app = await startOperator(parseOperatorConfig(process.env));
  app.enableShutdownHooks();
}

main().catch((error: unknown) => {
  // A mistake in the settings is for whoever wrote them: no stack.
  process.stderr.write(`${error instanceof OperatorConfigError ? error.message : String((error as Error).stack)}\n`);
  process.exit(1);
});
