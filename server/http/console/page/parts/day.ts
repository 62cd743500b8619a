import { html } from '../html.ts';
import { gatewayNow } from '../state/clock.ts';
import { tradingDay } from '../state/format.ts';
import { goTo, place } from '../state/route.ts';

/** A trading day of a view: YYYY-MM-DD, IST. `query` is what the gateway is asked with: nothing for today. */
export interface Day {
  day: string;
  today: string;
  query: { day: string | undefined };
}

/** The day of the page's address, today where it names none. */
export function dayOfAddress(): Day {
  const today = tradingDay(gatewayNow());
  const day = place.value.query.get('day') ?? today;
  return { day, today, query: { day: day === today ? undefined : day } };
}

/** Chooses a day; it stands in the address, so that it can be kept and sent. */
export function DayPicker({ view, of: { day, today } }: { view: string; of: Day }) {
  const pick = (event: Event) => {
    const chosen = (event.target as HTMLInputElement).value;
    goTo(view, chosen === '' || chosen === today ? {} : { day: chosen });
  };
  return html`<label for="day">Day</label><input id="day" class="narrow" type="date" value=${day} max=${today} onChange=${pick} />`;
}
