import { z } from 'zod';
import { Failure, text } from './common.ts';
import { route } from './route.ts';

const name = text(64).meta({ description: '1 to 64 of a-z, 0-9, dot, underscore and dash.', examples: ['console'] });

export const UserRow = z
  .object({
    name: z.string().meta({ description: 'Its name.', examples: ['console'] }),
    created_at: z.string().meta({ description: 'When its token was made, UTC.', examples: ['2026-11-20T04:12:33.000Z'] }),
    revoked_at: z
      .string()
      .nullable()
      .meta({ description: 'When its token was revoked, UTC; null while it is valid.', examples: [null] }),
    you: z.boolean().meta({ description: 'Whose token this request carries.', examples: [true] }),
  })
  .meta({ id: 'UserRow', description: 'A user of the gateway.' });

export const UserList = z
  .object({ success: z.literal(true), users: z.array(UserRow).meta({ description: 'By name.' }) })
  .meta({ id: 'UserList', description: 'The users of the gateway. Their tokens are nowhere to be read.' });
export type UserList = z.infer<typeof UserList>;

export const AddUserRequest = z.strictObject({ name }).meta({ id: 'AddUserRequest', description: 'The user to make.' });

export const UserAdded = z
  .object({
    success: z.literal(true),
    name: z.string().meta({ description: 'Its name.', examples: ['console'] }),
    token: z.string().meta({ description: 'Its API token. It is shown here, once, and kept nowhere.', examples: ['bgw_...'] }),
  })
  .meta({ id: 'UserAdded', description: 'The user was made, or a revoked one given a new token.' });
export type UserAdded = z.infer<typeof UserAdded>;

export const RevokeUserRequest = z
  .strictObject({
    name,
    confirm: z
      .boolean()
      .default(false)
      .meta({ description: 'true: also where it is the user of this request, whose token ends with it.', examples: [false] }),
  })
  .meta({ id: 'RevokeUserRequest', description: 'Whose token is to end.' });

export const UserRevoked = z
  .object({
    success: z.literal(true),
    message: z.string().meta({ description: 'What was done.', examples: ['The token of console is revoked'] }),
  })
  .meta({ id: 'UserRevoked', description: 'The token is refused from now on.' });
export type UserRevoked = z.infer<typeof UserRevoked>;

export const userRoutes = {
  listUsers: route({
    method: 'GET',
    path: '/broker/users',
    summary: 'List the users',
    description: 'Names, when their tokens were made, and whether they are valid.',
    input: z.strictObject({}),
    output: z.union([UserList, Failure]),
  }),
  addUser: route({
    method: 'POST',
    path: '/broker/users',
    summary: 'Make a user',
    description: 'Answers with its API token, which is shown once. A revoked user gets a new token.',
    input: AddUserRequest,
    output: z.union([UserAdded, Failure]),
  }),
  revokeUser: route({
    method: 'POST',
    path: '/broker/users/revoke',
    summary: "Revoke a user's token",
    description: 'From then on it is refused; streams that were opened with it end within 3 s. The last valid user cannot be revoked.',
    input: RevokeUserRequest,
    output: z.union([UserRevoked, Failure]),
  }),
};
