import type { Instrument, InstrumentFound, InstrumentList, InstrumentQuery } from '../../contract/instruments.ts';
import type { Accounts } from '../brokers/account.ts';
import type { Failure } from '../brokers/broker.ts';
import type { Directory, InstrumentRow, Instruments } from '../instruments/instruments.ts';

export interface InstrumentOperations {
  searchInstruments(query: InstrumentQuery): Promise<InstrumentList | Failure>;
  instrument(exchange: string, symbol: string): Promise<InstrumentFound | Failure>;
}

/** What the active broker lists. Whatever goes wrong becomes `{success: false, message}`. */
export function createInstrumentOperations(
  accounts: Pick<Accounts, 'activeName' | 'active'>,
  instruments: Instruments,
): InstrumentOperations {
  async function asked<Answer>(ask: (directory: Directory, about: About) => Promise<Answer>): Promise<Answer | Failure> {
    const broker = accounts.active()?.broker.id;
    if (!broker) return { success: false, message: 'Broker Not Connected' };
    const directory = instruments.of(broker);
    if (!directory) return { success: false, message: `No instruments yet: ${instruments.messageOf(broker)}` };
    try {
      return await ask(directory, aboutOf(directory));
    } catch (error) {
      return { success: false, message: error instanceof Error ? error.message : String(error) };
    }
  }
  return {
    searchInstruments: (query) =>
      asked<InstrumentList | Failure>(async (directory, about) => {
        const { rows, next } = await directory.search(query);
        return { success: true, instruments: rows.map(shown), next, ...about };
      }),
    instrument: (exchange, symbol) =>
      asked<InstrumentFound | Failure>(async (directory, about) => {
        const [row, ...others] = await directory.named(exchange.toUpperCase(), symbol);
        if (!row) return { success: false, message: `The broker lists no ${exchange}:${symbol}` };
        if (others.length === 0) return { success: true, instrument: shown(row), ...about };
        const names = [row, ...others].map((one) => one.instrument).join(', ');
        return { success: false, message: `The broker calls several instruments ${symbol}: ${names}` };
      }),
  };
}

type About = Pick<InstrumentList, 'as_of' | 'message'>;

function aboutOf({ asOf, message }: Directory): About {
  return { as_of: asOf, ...(message !== null && { message }) };
}

/** A row in the contract's words. */
function shown(row: InstrumentRow): Instrument {
  const { exchange, symbol, instrument, name, kind, underlying, expiry, isin, token } = row;
  return {
    ...{ instrument, exchange, symbol, name, kind, underlying, expiry },
    strike: rupees(row.strike),
    lot_size: row.lotSize,
    tick_size: rupees(row.tickSize),
    freeze_quantity: row.freezeQuantity,
    isin,
    broker_symbol: row.brokerSymbol,
    token,
  };
}

function rupees(text: string | null): number | null {
  return text === null ? null : Number(text);
}
