import { ElastiService } from '@elasti/api';
import { WebApp } from '@elasti/webapp-operator';
import { App, YamlOutputType } from 'cdk8s';
import { OperatorChart } from './charts/operator.chart';
import { ResolverChart } from './charts/resolver.chart';
import { WebAppOperatorChart } from './charts/webapp-operator.chart';

const app = new App({ yamlOutputType: YamlOutputType.FILE_PER_CHART });
new OperatorChart(app, 'operator', { crd: ElastiService.crd(), image: process.env.OPERATOR_IMAGE });
new ResolverChart(app, 'resolver', { image: process.env.RESOLVER_IMAGE });
new WebAppOperatorChart(app, 'webapp-operator', { crd: WebApp.crd(), image: process.env.WEBAPP_OPERATOR_IMAGE });
app.synth();
