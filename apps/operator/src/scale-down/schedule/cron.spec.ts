import { isStartDay, parseCron } from './cron';
import { InvalidScheduleError } from './schedule.errors';

const upTo = (min: number, max: number) => Array.from({ length: max - min + 1 }, (_, index) => min + index);

describe('parseCron', () => {
  it.each([
    ['*', upTo(0, 59)],
    ['?', upTo(0, 59)],
    ['5', [5]],
    ['05', [5]],
    ['+5', [5]],
    ['5,15,10', [5, 10, 15]],
    ['5,,15', [5, 15]],
    ['5-8', [5, 6, 7, 8]],
    ['5-5', [5]],
    ['5-11/3', [5, 8, 11]],
    ['*/20', [0, 20, 40]],
    ['?/20', [0, 20, 40]],
    ['50/4', [50, 54, 58]],
    ['0/100', [0]],
    ['0-1,58-59', [0, 1, 58, 59]],
  ])('reads the minutes of %s', (field, minutes) => {
    expect(parseCron(`${field} * * * *`).minutes).toEqual(minutes);
  });

  it('takes names of months and days in any case, also in ranges', () => {
    const { months, daysOfWeek } = parseCron('0 0 * JAN,mar-May Mon-fri');

    expect([...months]).toEqual([1, 3, 4, 5]);
    expect([...daysOfWeek]).toEqual([1, 2, 3, 4, 5]);
  });

  it('does not mind white space between and around the fields', () => {
    expect(parseCron('  0\t8  * *   1-5 ')).toEqual(parseCron('0 8 * * 1-5'));
  });

  it.each([
    ['@yearly', '0 0 1 1 *'],
    ['@annually', '0 0 1 1 *'],
    ['@monthly', '0 0 1 * *'],
    ['@weekly', '0 0 * * 0'],
    ['@daily', '0 0 * * *'],
    ['@midnight', '0 0 * * *'],
    ['@hourly', '0 * * * *'],
  ])('takes %s for %s', (macro, schedule) => {
    expect(parseCron(macro)).toEqual(parseCron(schedule));
  });

  it.each([
    ['', /five fields/],
    ['0 0 *', /five fields/],
    ['0 0 * * * *', /five fields/],
    ['invalid', /five fields/],
    ['60 * * * *', /minute outside of 0 to 59/],
    ['0 24 * * *', /hour outside of 0 to 23/],
    ['0 0 0 * *', /day of month outside of 1 to 31/],
    ['0 0 32 * *', /day of month outside of 1 to 31/],
    ['0 0 * 13 *', /month outside of 1 to 12/],
    ['0 0 * * 7', /Sunday is 0/],
    ['0 0 * * 5-7', /Sunday is 0/],
    ['0 0 * * fri-mon', /ends before it begins/],
    ['0 0 * * someday', /"someday" where a number/],
    ['jan 0 * * *', /"jan" where a number/],
    ['5-1 0 * * *', /ends before it begins/],
    ['1-2-3 0 * * *', /more than one "-"/],
    ['1/2/3 0 * * *', /more than one "\/"/],
    ['*/0 0 * * *', /step of 0/],
    ['-5 0 * * *', /"" where a number/],
    ['5- 0 * * *', /"" where a number/],
    ['*/ 0 * * *', /"" where a number/],
    ['1.5 0 * * *', /"1.5" where a number/],
    ['*-5 0 * * *', /"\*" where a number/],
    [', 0 * * *', /no minute/],
    ['0 0 L * *', /"L" where a number/],
    ['@every 1h', /none of @yearly/],
    ['@Daily', /none of @yearly/],
    ['TZ=UTC 0 0 * * *', /timeZone/],
    ['CRON_TZ=Europe/Berlin 0 0 * * *', /timeZone/],
  ])('refuses %j and says why', (text, problem) => {
    expect(() => parseCron(text)).toThrow(problem);
  });

  it('names the field', () => {
    const read = () => parseCron('bad', 'enabledPeriod.schedule');

    expect(read).toThrow(InvalidScheduleError);
    expect(read).toThrow(/^enabledPeriod\.schedule: "bad"/);
  });
});

describe('isStartDay', () => {
  const startDaysOfJanuary2024 = (days: string) =>
    upTo(1, 31).filter((day) => isStartDay(parseCron(`0 0 ${days}`), new Date(Date.UTC(2024, 0, day))));

  it.each([
    ['a star for the day of the week leaves the day of the month to decide', '10,20 * *', [10, 20]],
    ['a star for the day of the month leaves the day of the week to decide', '* * sun', [7, 14, 21, 28]],
    ['a star in disguise is a star', '1-31,? * sun', [7, 14, 21, 28]],
    ['a step of one is a star too', '*/1 * sun', [7, 14, 21, 28]],
    ['two choices of days add up', '10 * sun', [7, 10, 14, 21, 28]],
    ['a star with a step is a choice of days', '*/15 * sun', [1, 7, 14, 16, 21, 28, 31]],
    ['all days written out are a choice of days', '10 * 0-6', upTo(1, 31)],
    ['another month has none', '* feb *', []],
  ])('%s', (_rule, days, expected) => {
    expect(startDaysOfJanuary2024(days)).toEqual(expected);
  });
});
