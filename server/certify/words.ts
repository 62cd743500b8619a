import { pino } from 'pino';
import { exchanges, orderStatuses, orderTypes, productTypes, transactionTypes, varieties } from '../../contract/words.ts';
import type { Log } from '../log.ts';

/** The brokers' words for states, products, exchanges, types and the like: no person's data is one of them. In small letters, blanks for _ and -. */
const theirs = `
  complete|completed|canceled|cancelled|rejected|open|pending|new|acked|approved|executed|delivery awaited|failed|traded|part traded|transit|inactive|expired
  modified|update|trigger pending|not modified|not cancelled|modify validation pending|modify pending|cancel pending|put order req received
  validation pending|open pending|amo req received|after market order req received|modify after market order req received
  cancelled after market order|amo cancelled|ah placed|ah modified|ah cancelled|xmitted|fully executed|sl triggered|placed|confirmed|parked|rejected by exch
  modification requested|cancellation requested|success|failure|error|ok|not ok|true|false|yes|no|na|none
  mis|cnc|nrml|mtf|margin|intraday|delivery|carryforward|longterm|co|bo|cover|bracket|normal|regular|amo|iceberg|simple|stoploss|robo|auction
  mkt|lmt|limit|market|sl|slm|sl lmt|sl mkt|sl m|stop loss|stop loss market|stop loss limit|stoploss limit|stoploss market|l|day|ioc|gtc|gtd|ret|eos|eod
  nse|bse|nfo|bfo|mcx|cds|bcd|nco|nse eq|bse eq|nse fo|bse fo|nse fno|bse fno|nse currency|bse currency|mcx comm|mcx fo|ncd fo|bcd fo|nse cm|bse cm|cde fo
  cash|fno|commodity|currency|equity|derivative|derivatives|b|s|c|d|i|m|n|u|y|nc|nd|nu|bc|bd|bu|md|buy|sell|long|short|closed|eq|be|bz|xx
  futidx|futstk|futcom|futcur|optidx|optstk|optcur|optfut|fut|opt|ce|pe|call|put|rupees|inr|mobile|web|api|individual
`;

const plain = (word: string) => word.trim().toLowerCase().replaceAll(/[_-]/g, ' ');
const known = new Set([
  ...theirs.split(/[|\n]/).map(plain),
  ...[exchanges, orderStatuses, orderTypes, productTypes, transactionTypes, varieties].flat().map(plain),
]);
known.delete('');

/** Whether a text is a word of trading, which may be told. */
export function isTradeWord(text: string): boolean {
  return known.has(plain(text));
}

/** A word that the adapter met and does not know, as createWordLog logs it. */
export interface UnknownWord {
  kind: string;
  word: string;
}

/** A log that keeps the words its adapter does not know, and says nothing. */
export function wordLog(): { log: Log; words: UnknownWord[] } {
  const words: UnknownWord[] = [];
  const write = (line: string) => {
    const { kind, word } = JSON.parse(line) as Partial<UnknownWord>;
    if (typeof kind === 'string' && typeof word === 'string') words.push({ kind, word });
  };
  return { log: pino({ level: 'warn' }, { write }), words };
}

/** A new word is what the project must learn of; a text that is no plain word may say more than a state. */
export function tellable(word: string): boolean {
  return word.length <= 32 && /^[a-z]+([ _-][a-z]+){0,4}$/i.test(word.trim());
}
