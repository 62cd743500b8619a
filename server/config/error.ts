/** A setting that cannot be used; the message names it. */
export class ConfigError extends Error {}
