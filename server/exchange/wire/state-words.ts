import type { OrderState } from '../types.ts';

/** The states of an order in the words of the order system behind Angel One, Kotak and Upstox. */
export const orderSystemWords: Readonly<Record<OrderState, string>> = {
  RECEIVED: 'put order req received',
  VALIDATION: 'validation pending',
  OPEN_PENDING: 'open pending',
  AMO_RECEIVED: 'after market order req received',
  OPEN: 'open',
  TRIGGER_PENDING: 'trigger pending',
  MODIFY_VALIDATION: 'modify validation pending',
  MODIFY_PENDING: 'modify pending',
  MODIFIED: 'modified',
  CANCEL_PENDING: 'cancel pending',
  FILLED: 'complete',
  REJECTED: 'rejected',
  CANCELLED: 'cancelled',
  EXPIRED: 'cancelled',
};

/** The same in the Noren order system, behind Alice Blue and Shoonya: status and report word. */
export const norenWords: Readonly<Record<OrderState, readonly [string, string]>> = {
  RECEIVED: ['PENDING', 'NewAck'],
  VALIDATION: ['PENDING', 'NewAck'],
  OPEN_PENDING: ['PENDING', 'PendingNew'],
  AMO_RECEIVED: ['PENDING', 'NewAck'],
  OPEN: ['OPEN', 'New'],
  TRIGGER_PENDING: ['TRIGGER_PENDING', 'New'],
  MODIFY_VALIDATION: ['PENDING', 'ModAck'],
  MODIFY_PENDING: ['PENDING', 'PendingReplace'],
  MODIFIED: ['OPEN', 'Replaced'],
  CANCEL_PENDING: ['PENDING', 'PendingCancel'],
  FILLED: ['COMPLETE', 'Fill'],
  REJECTED: ['REJECTED', 'Rejected'],
  CANCELLED: ['CANCELED', 'Canceled'],
  EXPIRED: ['CANCELED', 'Canceled'],
};
