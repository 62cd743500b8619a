import { networkInterfaces } from 'node:os';
import { istText } from './clock.ts';
import type { Config } from './config/config.ts';
import { loopback } from './config/kinds.ts';
import type { Context } from './context.ts';
import { printable } from './printable.ts';

const practiceOrder = {
  symbol: 'SBIN',
  token: '779521',
  exchange: 'NSE',
  transaction_type: 'BUY',
  order_type: 'MARKET',
  product_type: 'INTRADAY',
  quantity: 10,
};

/** What a person sees when the gateway is ready: mode, broker, addresses, unresolved orders, the token's file and a line to try. `figures`: where they are served. */
export function firstScreen(config: Config, context: Context, port: number, figures: string | null = null): string {
  const base = baseUrl(config, port);
  const { broker } = context.status();
  const kill = context.killSwitch.on ? ['Kill switch  ON: new entries are refused (SIGUSR2 or POST /broker/kill-switch releases it)'] : [];
  const guard = config.positionGuard ? [] : ['Guard        OFF (POSITION_GUARD): an open position blocks no further entry'];
  const refusals = [...context.refusals].map(([name, message]) => printable(`  ${name}: ${message}`));
  const unresolved = context.unresolved().map(({ key, symbol, side, quantity, tag, tradingDay }) => {
    return printable(`  ${tradingDay} ${side} ${quantity} ${symbol}, tag ${tag}, key ${key}`);
  });
  const lines = [
    '',
    `Broker Gateway, ${config.mode} mode`,
    `Broker       ${broker ?? 'none connected'}${broker === null && config.brokers.length > 0 ? ` (tried ${config.brokers.join(', ')})` : ''}`,
    ...refusals,
    ...againLine(context),
    `Address      ${base}`,
    ...reachable(config, port),
    `Console      ${base}/console`,
    `Docs         ${base}/docs`,
    ...(figures === null ? [] : [`Figures      ${figures}`]),
    `API token    ${tokenText(config, context)}`,
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

function againLine(context: Context): string[] {
  const at = context.nextTryAt();
  return at === null ? [] : [`  tried again by itself at ${istText(at)} IST, and until one connects`];
}

/** Where a caller finds a token. */
function tokenText({ gatewayToken }: Config, { tokenFile }: Context): string {
  return tokenFile ?? (gatewayToken === undefined ? 'in the file of the gateway that made it' : 'from GATEWAY_TOKEN');
}

/** What a person sees of a gateway that waits while another one leads. */
export function standbyScreen(config: Config, leader: string | null): string {
  return `\nBroker Gateway, ${config.mode} mode\nStandby      ${leader ?? 'nobody'} leads; this gateway follows by itself (SIGUSR1 there hands over)\n`;
}

const everywhere = ['::', '0.0.0.0'];

/** How this machine itself calls the gateway. */
function baseUrl({ host, tls }: Config, port: number): string {
  return urlOf(everywhere.includes(host) ? 'localhost' : host, port, tls);
}

function urlOf(host: string, port: number, tls: Config['tls']): string {
  return `${tls ? 'https' : 'http'}://${host.includes(':') ? `[${host}]` : host}:${port}`;
}

/** Who else may call, and over plain HTTP that what they send can be read on the way. */
function reachable({ host, tls }: Config, port: number): string[] {
  if (loopback.test(host.includes(':') ? `[${host}]` : host)) return [];
  const others = everywhere.includes(host) ? ownAddresses(host) : [host];
  const urls = others.map((address) => urlOf(address, port, tls)).join(' ');
  const where = everywhere.includes(host) ? 'all interfaces' : host;
  return [
    `  open to ${where}: ${urls || 'no other address now'}`,
    ...(tls
      ? []
      : [
          '  plain HTTP: tokens can be read on the way. TLS_CERT and TLS_KEY, or HOST=127.0.0.1 and a proxy with TLS before it, keep them safe',
        ]),
  ];
}

/** Addresses by which other machines know this one. */
function ownAddresses(host: string): string[] {
  return Object.values(networkInterfaces())
    .flatMap((each) => each ?? [])
    .filter(({ internal, family, scopeid }) => !internal && !scopeid && (host === '::' || family === 'IPv4'))
    .map(({ address }) => address);
}

/** A line to paste: an order in practice mode, a read in live mode. */
function tryLine(config: Config, base: string, tokenFile: string | null): string {
  const token = tokenFile === null ? '$GATEWAY_TOKEN' : `$(cat '${tokenFile.replaceAll("'", "'\\''")}')`;
  const auth = `-H "Authorization: Bearer ${token}"`;
  if (config.mode === 'live') return `curl -s ${base}/broker/profile ${auth}`;
  return `curl -s ${base}/broker/orders/place ${auth} -H 'Content-Type: application/json' -d '${JSON.stringify(practiceOrder)}'`;
}
