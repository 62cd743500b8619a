/** Places the orders of a short practice day: positions long and short, a stop that rests, one closed, one refused, one cancelled. */
export async function playDay({ url, token }: { url: string; token: string }): Promise<void> {
  const orders: readonly (readonly [symbol: string, side: 'BUY' | 'SELL', quantity: number, more?: object])[] = [
    ['NSE:RELIANCE', 'BUY', 120, { strategy: 'breakout' }],
    ['NSE:INFY', 'SELL', 200, { strategy: 'pairs' }],
    ['NSE:TCS', 'BUY', 60, { strategy: 'pairs' }],
    ['NSE:SBIN', 'BUY', 300, { product_type: 'DELIVERY', strategy: 'swing' }],
    ['NSE:HDFCBANK', 'BUY', 150, { strategy: 'breakout' }],
    ['NSE:HDFCBANK', 'SELL', 150, { strategy: 'breakout' }],
    ['NSE:ITC', 'BUY', 400, { strategy: 'swing' }],
    ['NSE:RELIANCE', 'SELL', 120, { order_type: 'SL', price: 1400, trigger_price: 1410, variety: 'STOPLOSS', strategy: 'breakout' }],
    ['NSE:WIPRO', 'BUY', 500, { order_type: 'LIMIT', price: 225 }],
    ['NSE:MARUTI', 'BUY', 100_000, { strategy: 'too large' }],
    ['NSE:TATASTEEL', 'BUY', 100, { order_type: 'LIMIT', price: 160 }],
    ['NSE:RELIANCE', 'BUY', 10, { strategy: 'breakout' }],
  ];
  const call = async (path: string, body: object) => {
    const headers = { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' };
    const answer = await fetch(url + path, { method: 'POST', headers, body: JSON.stringify(body) });
    return (await answer.json()) as { order_id?: string };
  };
  await listed(url, token);
  for (const [name, side, quantity, more] of orders) {
    const [exchange = '', symbol = ''] = name.split(':');
    const body = { symbol, token: '', exchange, transaction_type: side, order_type: 'MARKET', product_type: 'INTRADAY', quantity, ...more };
    const { order_id } = await call('/broker/orders/place', body);
    if (symbol === 'TATASTEEL') await call('/broker/orders/cancel', { order_id });
  }
}

/** Waits for the broker's instrument file: orders go by name. */
async function listed(url: string, token: string): Promise<void> {
  for (let tries = 0; tries < 400; tries += 1) {
    const answer = await fetch(`${url}/broker/instruments?q=SBIN`, { headers: { Authorization: `Bearer ${token}` } });
    const { instruments = [] } = (await answer.json()) as { instruments?: unknown[] };
    if (instruments.length > 0) return;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  throw new Error('The instrument file was never read');
}
