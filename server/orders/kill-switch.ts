/** Stops new entries at once; cancels and orders that reduce a position pass. Kept in the database, so that a restart does not release it. */
export interface KillSwitch {
  readonly on: boolean;
  /** Remembers and applies the new position of the switch. */
  set(on: boolean, by: string): Promise<void>;
}

interface Keeper {
  read(): Promise<boolean>;
  write(on: boolean, by: string): Promise<void>;
}

/** `configured` (the KILL_SWITCH setting) goes before what was remembered. */
export async function createKillSwitch(keeper: Keeper, configured: boolean | undefined): Promise<KillSwitch> {
  const remembered = await keeper.read();
  let on = configured ?? remembered;
  if (on !== remembered) await keeper.write(on, 'setting');
  return {
    get on() {
      return on;
    },
    async set(next, by) {
      on = next;
      await keeper.write(next, by);
    },
  };
}
