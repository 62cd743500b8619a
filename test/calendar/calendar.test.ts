import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { calendarFrom, tradingCalendar } from '../../server/calendar/calendar.ts';
import { endsSoon } from '../../server/calendar/ending.ts';
import { marketOf } from '../../server/calendar/market.ts';
import { readCalendarFile, shippedFile } from '../../server/calendar/read.ts';
import { readConfig } from '../../server/config/config.ts';
import { createContext } from '../../server/context.ts';
import { silentLog } from '../../server/log.ts';

const calendar = tradingCalendar();
const at = (text: string) => Date.parse(`${text}:00+05:30`);

describe('the calendar that comes with the gateway', () => {
  it.each([
    ['NSE', '2026-11-20T09:14', false],
    ['NSE', '2026-11-20T09:15', true],
    ['NSE', '2026-11-20T15:29', true],
    ['NSE', '2026-11-20T15:30', false],
    ['NSE', '2026-11-21T11:00', false],
    ['NSE', '2026-11-24T11:00', false],
    ['NSE', '2026-02-01T11:00', true],
    ['CDS', '2026-11-20T16:59', true],
    ['CDS', '2026-08-26T11:00', false],
    ['NSE', '2026-08-26T11:00', true],
    ['MCX', '2026-01-01T16:59', true],
    ['MCX', '2026-01-01T17:00', false],
    ['MCX', '2026-01-01T09:00', true],
    ['MCX', '2026-11-24T11:00', false],
    ['MCX', '2026-11-24T17:00', true],
    ['MCX', '2026-03-06T23:54', true],
    ['MCX', '2026-03-09T23:30', false],
    ['MCX', '2026-11-02T23:54', true],
    ['MCX', '2026-02-01T17:00', false],
    ['elsewhere', '2026-11-24T18:00', true],
    ['elsewhere', '2026-12-25T11:00', false],
    ['NSE', '2026-11-08T18:30', false],
    ['NSE', '2027-01-26T11:00', true],
  ])('%s at %s is open: %s', (exchange, time, open) => {
    expect(calendar.isOpen(exchange, at(time))).toBe(open);
  });
  it('has as many weekday holidays as the exchanges announced', () => {
    const { days } = readCalendarFile(shippedFile);
    const closed = (exchange: 'NSE' | 'CDS' | 'MCX') =>
      days.filter((one) => one.exchanges.includes(exchange) && one.sessions.length === 0).length;
    // 15 of the lists, and 15 January.
    expect([closed('NSE'), closed('CDS'), closed('MCX')]).toEqual([16, 20, 4]);
  });
  it('tells the running session, else the next', () => {
    expect(calendar.session('NSE', at('2026-11-20T11:00'))).toEqual({ opens: at('2026-11-20T09:15'), closes: at('2026-11-20T15:30') });
    expect(calendar.session('NSE', at('2026-11-23T16:00'))?.opens).toBe(at('2026-11-25T09:15'));
    expect(calendar.next('MCX', at('2026-11-23T16:00'))?.opens).toBe(at('2026-11-24T17:00'));
  });
});

describe('the market', () => {
  const live = marketOf('live', calendar);
  it('says which session an AMO order waits for', () => {
    expect(live.sessionDay('AMO', 'NSE', at('2026-11-20T08:00'))).toBe('2026-11-20');
    expect(live.sessionDay('AMO', 'NSE', at('2026-11-20T16:00'))).toBe('2026-11-23');
    expect(live.sessionDay('AMO', 'NSE', at('2026-11-23T16:00'))).toBe('2026-11-25');
    expect(live.sessionDay('AMO', 'MCX', at('2026-11-23T23:58'))).toBe('2026-11-24');
    expect(live.sessionDay('AMO', 'NSE', at('2026-01-30T18:00'))).toBe('2026-02-01');
    expect(live.sessionDay('NORMAL', 'NSE', at('2026-11-20T16:00'))).toBe('2026-11-20');
  });
  it('says when that session opens, an evening one too', () => {
    expect(live.opensAt('MCX', '2026-11-24')).toBe(at('2026-11-24T17:00'));
    expect(live.opensAt('NSE', '2026-11-25')).toBe(at('2026-11-25T09:15'));
    expect(live.opensAt('NSE', '2026-11-24')).toBe(at('2026-11-24T09:15'));
  });
  it('never closes in practice mode', () => {
    const practice = marketOf('practice', calendar);
    expect(practice.isOpen('NSE', at('2026-11-22T03:00'))).toBe(true);
    expect(practice.sessionDay('AMO', 'NSE', at('2026-11-20T16:00'))).toBe('2026-11-20');
    expect(practice.calendarEnds).toBeNull();
  });
  it('knows two sessions of a day, and a muhurat hour on a Sunday', () => {
    const file = readCalendarFile(shippedFile);
    const days = [
      ...file.days,
      {
        day: '2026-12-27',
        exchanges: ['NSE' as const],
        sessions: [
          ['09:15', '10:00'],
          ['18:15', '19:15'],
        ] as [string, string][],
        name: 'two',
      },
    ];
    const made = calendarFrom({ ...file, days });
    expect(['09:20', '11:00', '18:20', '19:15'].map((time) => made.isOpen('NSE', at(`2026-12-27T${time}`)))).toEqual([
      true,
      false,
      true,
      false,
    ]);
    expect(made.next('NSE', at('2026-12-27T11:00'))?.opens).toBe(at('2026-12-27T18:15'));
  });
  it('ends soon from 30 days before its last day on', () => {
    expect([endsSoon('2026-12-31', at('2026-12-01T23:59')), endsSoon('2026-12-31', at('2026-12-02T00:01')), endsSoon(null, 0)]).toEqual([
      false,
      true,
      false,
    ]);
    expect(endsSoon('2026-12-31', at('2027-03-01T10:00'))).toBe(true);
  });
});

describe('a calendar file of your own', () => {
  const lines = readFileSync(shippedFile, 'utf8').split('\n');
  const file = join(mkdtempSync(join(tmpdir(), 'calendar-')), 'own.json');
  /** The shipped file with the one line that begins so replaced; its number. */
  function change(begins: string, to: string): number {
    const index = lines.findIndex((line) => line.trim().startsWith(begins));
    writeFileSync(file, lines.with(index, to).join('\n'));
    return index + 1;
  }
  const refusal = () => {
    try {
      readCalendarFile(file);
      return 'taken';
    } catch (error) {
      return error instanceof Error ? error.message : '';
    }
  };
  const holi = '{ "day": "2026-03-03", "exchanges": ["NSE"';
  const hours = '{ "exchanges": ["MCX"], "from": "2026-03-09"';

  it.each([
    [
      holi,
      '{ "day": "2026-02-30", "exchanges": ["NSE"], "sessions": [], "name": "x" },',
      'days.7.day: must be a day that there is, YYYY-MM-DD',
    ],
    [
      holi,
      '{ "day": "2026-02-03", "exchanges": ["NSE"], "sessions": [], "name": "x" },',
      'days.7.day: must not be before the day above it',
    ],
    [holi, '{ "day": "2026-03-03", "exchanges": ["NYSE"], "sessions": [], "name": "x" },', 'days.7.exchanges.0:'],
    [
      holi,
      '{ "day": "2026-03-03", "exchanges": ["NSE", "NSE"], "sessions": [], "name": "x" },',
      'days.7.exchanges: must name each exchange once',
    ],
    [
      holi,
      '{ "day": "2026-02-19", "exchanges": ["CDS"], "sessions": [], "name": "x" },',
      'days.7.exchanges: CDS is named twice on 2026-02-19',
    ],
    [
      holi,
      '{ "day": "2026-03-03", "exchanges": ["NSE"], "sessions": [["18:15", "17:15"]], "name": "x" },',
      'days.7.sessions.0: must open before it closes',
    ],
    [
      holi,
      '{ "day": "2026-03-03", "exchanges": ["NSE"], "sessions": [["9:15", "17:15"]], "name": "x" },',
      'days.7.sessions.0.0: must be a time of day in India, HH:MM',
    ],
    [
      holi,
      '{ "day": "2026-03-03", "exchanges": ["NSE"], "sessions": [["12:00", "13:00"], ["09:15", "10:00"]], "name": "x" },',
      'days.7.sessions: must follow one another',
    ],
    [holi, '{ "day": "2026-03-03", "exchange": ["NSE"], "sessions": [], "name": "x" },', 'days.7'],
    [
      hours,
      '{ "exchanges": ["MCX"], "from": "2026-01-01", "open": "09:00", "close": "23:30" },',
      'hours.3.from: must be after the hours of MCX before it',
    ],
    [hours, '{ "exchanges": ["MCX"], "from": "2026-03-09", "open": "09:00", "close": "08:00" },', 'hours.3: must open before it closes'],
    ['"last_day"', '"last_day": "2025-12-31",', 'last_day: must not be before first_day'],
  ])('is refused with its line: %#', (begins, to, message) => {
    const line = change(begins, to);
    expect(refusal()).toContain(`CALENDAR_FILE: ${file}, line ${line}: ${message}`);
  });
  it('is refused where it is not JSON, with the line, and where it is not there', () => {
    const line = change(holi, '{ "day": 2026-03-03 },');
    expect(refusal()).toMatch(new RegExp(`^CALENDAR_FILE: ${file} is not JSON: .*line ${line} `));
    expect(() => readCalendarFile('/nowhere/c.json')).toThrow('CALENDAR_FILE: /nowhere/c.json cannot be read: ENOENT');
  });
  it('stops the start before anything is opened', async () => {
    change('"version"', '"version": 7,');
    const config = readConfig({ CALENDAR_FILE: file, DATABASE_URL: 'postgres://nobody@127.0.0.1:1/none' });
    await expect(createContext(config, silentLog())).rejects.toThrow(/^CALENDAR_FILE: .*line 2: version: /);
  });
  it('counts instead of the shipped one', () => {
    change(
      '{ "day": "2026-11-24", "exchanges": ["NSE"',
      '{ "day": "2026-11-24", "exchanges": ["NSE"], "sessions": [["18:15", "19:15"]], "name": "an hour" },',
    );
    expect(tradingCalendar(file).isOpen('NSE', at('2026-11-24T18:30'))).toBe(true);
  });
});
