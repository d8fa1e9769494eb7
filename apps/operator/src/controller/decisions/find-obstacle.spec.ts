import { anElastiService } from '../objects.fixture';
import { findObstacle } from './find-obstacle';

const headless = { reason: 'HeadlessService', message: 'give it a cluster IP' } as const;
const udpOnly = { reason: 'ServiceWithoutTcpPort', message: 'add a TCP port' } as const;

describe('findObstacle', () => {
  it('finds none where nothing stands in the way', () => {
    expect(findObstacle(anElastiService(), { refusals: [] })).toBeUndefined();
  });

  it('leaves what was made to the older ElastiService that speaks for the Service, and names it', () => {
    const obstacle = findObstacle(anElastiService('web-2'), { claimedBy: 'web', refusals: [headless] });

    expect(obstacle).toMatchObject({ children: 'hand over', remark: { reason: 'ServiceClaimed' } });
    expect(obstacle?.remark.message).toContain('ElastiService web ');
  });

  it('gives back what a dry run finds of an earlier life', () => {
    const obstacle = findObstacle(anElastiService('web', { spec: { mode: 'DryRun' } }), { refusals: [] });

    expect(obstacle).toMatchObject({ children: 'give back', remark: { reason: 'DryRun' } });
  });

  it('says every reason for which a Service is refused, under the first one', () => {
    const obstacle = findObstacle(anElastiService(), { refusals: [headless, udpOnly] });

    expect(obstacle).toEqual({
      children: 'give back',
      remark: { reason: 'HeadlessService', message: 'give it a cluster IP; add a TCP port' },
    });
  });
});
