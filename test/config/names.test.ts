import { describe, expect, it } from 'vitest';
import { brokers } from '../../server/brokers/index.ts';
import { ConfigError, readConfig } from '../../server/config/config.ts';
import { checkSettings } from '../../server/session/brokers.ts';

/** What the start says to an environment; null when it takes it. */
function refusal(environment: Record<string, string>): string | null {
  try {
    checkSettings({ config: readConfig(environment), definitions: brokers });
    return null;
  } catch (error) {
    expect(error).toBeInstanceOf(ConfigError);
    return (error as ConfigError).message;
  }
}

describe('a name that was meant for us and is no setting', () => {
  it.each([
    ['GATEWAY_MOD', 'GATEWAY_MODE'],
    ['BROKRES', 'BROKERS'],
    ['BROKER', 'BROKERS'],
    ['ZERODHA_APIKEY', 'ZERODHA_API_KEY'],
    ['ZERODA_API_KEY', 'ZERODHA_API_KEY'],
    ['ZERODHA_API_KEYS', 'ZERODHA_API_KEY'],
    ['ZERODHA_TOTP_SECRET', 'ZERODHA_API_SECRET'],
    ['KITE_API_KEY', null],
    ['UPSTOX_REDIRECT_URL', 'UPSTOX_REDIRECT_URI'],
    ['DHAN_CLIENTID', 'DHAN_CLIENT_ID'],
    ['GATEWAY_PORT', 'PORT'],
    ['GATEWAY_TOKNE', 'GATEWAY_TOKEN'],
    ['TAGEWAY_MODE', null],
    ['GAETWAY_MODE', 'GATEWAY_MODE'],
    ['DATADIR', 'DATA_DIR'],
    ['DATABASE_URI', 'DATABASE_URL'],
    ['KILLSWITCH', 'KILL_SWITCH'],
    ['KILL_SWITCH_ON', 'KILL_SWITCH'],
    ['POSITON_GUARD', 'POSITION_GUARD'],
    ['HSOT', 'HOST'],
    ['PROT', 'PORT'],
    ['gateway_mode', 'GATEWAY_MODE'],
    ['Port', 'PORT'],
  ])('%s: did you mean %s?', (name, near) => {
    expect(refusal({ [name]: 'x1' })).toBe(near && `${name}: is not a setting of the gateway; did you mean ${near}?`);
  });

  it('is told once for each, all together', () => {
    expect(refusal({ GATEWAY_MOD: 'live', BROKRES: 'dhan' })?.split('\n')).toHaveLength(2);
  });
});

describe('names of others are left alone', () => {
  it.each(
    `PATH HOME HOSTNAME HOSTTYPE LANG TERM USER SHELL PWD OLDPWD SHLVL LOGNAME MAIL EDITOR TZ DEBUG DISPLAY PGHOST PGPORT PGUSER PGDATA NODE_ENV
    NODE_OPTIONS npm_config_cache npm_lifecycle_event INIT_CWD http_proxy HTTPS_PROXY NO_PROXY INVOCATION_ID JOURNAL_STREAM CI VITEST VAULT_ADDR
    KUBERNETES_SERVICE_HOST GATEWAY_SERVICE_HOST GATEWAY_SERVICE_PORT GATEWAY_SERVICE_PORT_HTTP GATEWAY_PORT_80_TCP GATEWAY_PORT_80_TCP_ADDR
    UPSTOX_PORT_443_TCP UPSTOX_PORT_443_TCP_PROTO DHAN_ENV_VERSION BROKER_GATEWAY_SERVICE_HOST DATABASE_PRIVATE_URL LOG_FORMAT COMPOSE_PROJECT_NAME`.split(
      /\s+/,
    ),
  )('%s', (name) => {
    expect(refusal({ [name]: 'x1' })).toBeNull();
  });

  it.each([
    ['GATEWAY_PORT', 'tcp://10.96.0.12:80'],
    ['ZERODHA_NAME', '/strategy/zerodha'],
    ['GATEWAY_MOD', '  '],
  ])('%s=%s', (name, value) => expect(refusal({ [name]: value })).toBeNull());
});
