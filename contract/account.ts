import { z } from 'zod';
import { Failure, passThrough, passThroughList } from './common.ts';
import { route } from './route.ts';
import { FundsRow, NamedHolding, NamedPosition } from './rows.ts';

const nothing = z.strictObject({});

export const accountRoutes = {
  getProfile: route({
    method: 'GET',
    path: '/broker/profile',
    summary: "Get the account holder's profile",
    description: "The broker's profile answer.",
    input: nothing,
    output: z.union([passThrough('Profile', "The broker's profile.", { user_id: 'AB1234', broker: 'ZERODHA' }), Failure]),
  }),
  getFunds: route({
    method: 'GET',
    path: '/broker/funds',
    summary: 'Get funds and margins',
    description: "The broker's funds answer, in rupees.",
    input: nothing,
    output: z.union([passThrough('Funds', "The broker's funds.", { equity: { net: 99725.05 } }, FundsRow), Failure]),
  }),
  getHoldings: route({
    method: 'GET',
    path: '/broker/holdings',
    summary: 'List holdings',
    description: "The broker's holdings, with the same rows in the gateway's words beside them.",
    input: nothing,
    output: z.union([
      passThroughList('HoldingList', "The broker's holdings.", NamedHolding, { tradingsymbol: 'SBIN', quantity: 10 }),
      Failure,
    ]),
  }),
  getPositions: route({
    method: 'GET',
    path: '/broker/positions',
    summary: 'List net positions',
    description: "The broker's net positions, with the same rows in the gateway's words beside them.",
    input: nothing,
    output: z.union([
      passThroughList('PositionList', "The broker's positions.", NamedPosition, { tradingsymbol: 'SBIN', quantity: 10 }),
      Failure,
    ]),
  }),
};
