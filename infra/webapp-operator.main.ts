import { WebApp } from '@elasti/webapp-operator';
import { App, YamlOutputType } from 'cdk8s';
import { WebAppOperatorChart } from './charts/webapp-operator.chart';

const app = new App({ yamlOutputType: YamlOutputType.FILE_PER_CHART });
new WebAppOperatorChart(app, 'webapp-operator', { crd: WebApp.crd(), image: process.env.WEBAPP_OPERATOR_IMAGE });
app.synth();
