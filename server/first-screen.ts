import type { Config } from './config.ts';
import type { Context } from './context.ts';

const practiceOrder = {
  symbol: 'SBIN',
  token: '779521',
  exchange: 'NSE',
  transaction_type: 'BUY',
  order_type: 'MARKET',
  product_type: 'INTRADAY',
  quantity: 10,
};

/** What a person sees when the gateway is ready: mode, broker, addresses, unresolved orders, the token's file and a line to try. */
export function firstScreen(config: Config, context: Context, port: number): string {
  const host = config.host === '0.0.0.0' || config.host === '::' ? 'localhost' : config.host;
  const base = `http://${host}:${port}`;
  const { broker } = context.status();
  const kill = context.killSwitch.on ? ['Kill switch  ON: new entries are refused (SIGUSR2 or POST /broker/kill-switch releases it)'] : [];
  const guard = config.positionGuard ? [] : ['Guard        OFF (POSITION_GUARD): an open position blocks no further entry'];
  const unresolved = context.unresolved().map(({ key, symbol, side, quantity, tag, tradingDay }) => {
    return `  ${tradingDay} ${side} ${quantity} ${symbol}, tag ${tag}, key ${key}`;
  });
  const lines = [
    '',
    `Broker Gateway, ${config.mode} mode`,
    `Broker       ${broker ?? 'none connected'}${broker === null && config.brokers.length > 0 ? ` (tried ${config.brokers.join(', ')}; see the log)` : ''}`,
    `Address      ${base}`,
    `Docs         ${base}/docs`,
    `API token    ${context.tokenFile ?? 'from GATEWAY_TOKEN'}`,
    ...kill,
    ...guard,
    ...(unresolved.length > 0
      ? [`Unresolved   ${unresolved.length} order(s) whose fate is not known (npm run orders -- list):`, ...unresolved]
      : []),
    '',
    'Try it:',
    `  ${tryLine(config, base, context.tokenFile)}`,
    '',
  ];
  return `${lines.join('\n')}\n`;
}

/** A line to paste: an order in practice mode, a read in live mode. */
function tryLine(config: Config, base: string, tokenFile: string | null): string {
  const token = tokenFile === null ? '$GATEWAY_TOKEN' : `$(cat '${tokenFile.replaceAll("'", "'\\''")}')`;
  const auth = `-H "Authorization: Bearer ${token}"`;
  if (config.mode === 'live') return `curl -s ${base}/broker/profile ${auth}`;
  return `curl -s ${base}/broker/orders/place ${auth} -H 'Content-Type: application/json' -d '${JSON.stringify(practiceOrder)}'`;
}
