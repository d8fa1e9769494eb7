import { type IdleReport, IdleReports } from './idle-reports';

const web = { namespace: 'shop', name: 'web' };
const report: IdleReport = { wants: 'stay', reason: 'busy', silenceMs: 0, triggers: 'healthy' };

function setup() {
  const reports = new IdleReports();
  const news: string[] = [];
  reports.onNews(({ namespace, name }) => news.push(`${namespace ?? ''}/${name}`));
  return { reports, news };
}

describe('IdleReports', () => {
  it('has the last report of each service', () => {
    const { reports } = setup();

    reports.put(web, report);
    reports.put(web, { ...report, wants: 'sleep' });
    reports.put({ namespace: 'other', name: 'web' }, report);

    expect(reports.of(web)?.wants).toBe('sleep');
    expect(reports.of({ namespace: 'shop', name: 'api' })).toBeUndefined();
  });

  it('tells its listeners only what is new', () => {
    const { reports, news } = setup();

    reports.put(web, report);
    reports.put(web, { ...report });
    reports.put(web, { ...report, triggers: { problem: 'refused' } });

    expect(news).toEqual(['shop/web', 'shop/web']);
  });

  it('forgets what is gone', () => {
    const { reports } = setup();
    reports.put(web, report);

    reports.forget(web);

    expect(reports.of(web)).toBeUndefined();
  });
});
