import 'reflect-metadata';
import { startOperator } from './start-operator';

void startOperator({}).then((app) => app.enableShutdownHooks());
