import { parseIst, tradingDay } from '../clock.ts';

/** When the brokers' files of the day are there: half an hour before the market opens, after the last of them is made. */
const REFRESH_IST = '08:40';
const DAY_MS = 86_400_000;

/** The trading day (`YYYY-MM-DD`, IST) whose instrument file is the one to have at an instant (epoch ms): until the hour of the refresh, the day before's. */
export function fileDay(at: number): string {
  return at >= refreshOf(at) ? tradingDay(at) : tradingDay(at - DAY_MS);
}

/** The next hour of the refresh after an instant, epoch ms. */
export function nextRefresh(at: number): number {
  const today = refreshOf(at);
  return today > at ? today : today + DAY_MS;
}

/** The hour of the refresh on the calendar day of an instant. */
function refreshOf(at: number): number {
  return parseIst(`${tradingDay(at)} ${REFRESH_IST}`) ?? Number.POSITIVE_INFINITY;
}
